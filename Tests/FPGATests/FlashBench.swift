import Bluetooth
import Foundation
import REPL
import Support
import Synchronization
import TestSupport
import Testing
import VirtualDevices
import VirtualFaults

@testable import FPGA

/// A virtual Monocle in simulated time, and what goes over its link.
struct FlashBench: Sendable {
    let root = FileManager.default.temporaryDirectory.appendingPathComponent("noafw-flash-\(UUID().uuidString)")
    var faults = FaultPlan()
    var pace: LinkPace?
    let tap = Tap()

    func remove() { try? FileManager.default.removeItem(at: root) }

    func play<Value: Sendable>(
        _ body: @escaping @Sendable (VirtualCentral, DeviceAddress) async throws -> Value
    ) async throws -> Value {
        var configuration = UnitConfiguration(python: try TestTools.require(TestTools.python, "the Python of .venv"))
        configuration.faults = faults
        configuration.linkPace = pace
        let air = VirtualAir(time: .simulated())
        let unit = try VirtualUnit.monocle(
            folder: try UnitFolder.monocle(root: root, name: "bench"), configuration: configuration, air: air)
        return try await air.time.run { try await withVirtualUnit(unit) { try await body(VirtualCentral(air: air), unit.address) } }
    }

    /// A session over the tapped link.
    func attached<Value: Sendable>(
        _ central: VirtualCentral, _ address: DeviceAddress, _ body: (PythonREPL) async throws -> Value
    ) async throws -> Value {
        let connection = try await central.connect(to: address, deadline: central.clock.deadline(in: .seconds(20)))
        do {
            let repl = try await PythonREPL.attach(
                to: TappedConnection(base: connection, tap: tap), clock: central.clock, within: .seconds(30))
            let value = try await body(repl)
            await repl.close()
            await connection.disconnect()
            return value
        } catch {
            await connection.disconnect()
            throw error
        }
    }

    /// What the flash holds before the marker, and whether the marker is there.
    func flash() throws -> (image: [UInt8], isCommitted: Bool) {
        let bytes = [UInt8](try Data(contentsOf: root.appendingPathComponent("fpga-flash.bin")))
        let marker = Array(bytes[FPGALimits.imageByteCount..<FPGALimits.regionByteCount])
        return (Array(bytes[..<FPGALimits.imageByteCount]), marker == FPGALimits.marker)
    }
}

/// Counts what a host sends to the REPL, and types in between.
final class Tap: Sendable {
    struct Traffic: Sendable {
        var packets = 0
        var bytes = 0
        var commands = 0
    }

    private let state = Mutex((traffic: Traffic(), typed: [Int: [UInt8]]()))

    /// Goes out just before the packet with this number, as from another program on the same host.
    func type(_ bytes: [UInt8], before packet: Int) { state.withLock { $0.typed[packet] = bytes } }

    var traffic: Traffic { state.withLock(\.traffic) }

    fileprivate func pass(_ packet: [UInt8]) -> [[UInt8]] {
        state.withLock { state in
            state.traffic.packets += 1
            state.traffic.bytes += packet.count
            state.traffic.commands += packet.count { $0 == 0x04 }
            return [state.typed.removeValue(forKey: state.traffic.packets), packet].compactMap { $0 }
        }
    }
}

private struct TappedConnection: Connection {
    let base: any Connection
    let tap: Tap

    var address: DeviceAddress { base.address }
    var payloadSize: Int { base.payloadSize }
    func offers(_ characteristic: AttributeID) -> Bool { base.offers(characteristic) }

    func write(_ value: [UInt8], to characteristic: AttributeID, deadline: SessionClock.Instant) async throws {
        try await base.write(value, to: characteristic, deadline: deadline)
    }

    func openChannel(to characteristic: AttributeID, deadline: SessionClock.Instant) async throws -> any WriteChannel {
        TappedChannel(base: try await base.openChannel(to: characteristic, deadline: deadline), tap: tap)
    }

    func subscribe(to characteristic: AttributeID, deadline: SessionClock.Instant) async throws -> Inbox<[UInt8]> {
        try await base.subscribe(to: characteristic, deadline: deadline)
    }

    func disconnect() async { await base.disconnect() }
    func waitUntilGone(deadline: SessionClock.Instant) async throws { try await base.waitUntilGone(deadline: deadline) }
}

private struct TappedChannel: WriteChannel {
    let base: any WriteChannel
    let tap: Tap

    func send(_ packet: [UInt8], deadline: SessionClock.Instant) async throws {
        for packet in tap.pass(packet) { try await base.send(packet, deadline: deadline) }
    }

    func close() async { await base.close() }
}
