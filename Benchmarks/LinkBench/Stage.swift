import Bluetooth
import Foundation
import Support
import Synchronization
import VirtualDevices
import VirtualFaults

/// A new virtual Monocle on a link in simulated time.
struct Stage: Sendable {
    let link: LinkSetting
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("noafw-link-\(UUID().uuidString)", isDirectory: true)

    /// - Parameter isInBootloader: it has no application.
    func play<Value: Sendable>(
        time: VirtualTime = .simulated(), isInBootloader: Bool = false, trusting keys: [[UInt8]] = [],
        _ body: @escaping @Sendable (VirtualCentral, DeviceAddress) async throws -> Value
    ) async throws -> Value {
        var configuration = UnitConfiguration(python: Self.python)
        configuration.trustedKeys = keys
        configuration.linkPace = link.pace
        var faults = FaultPlan()
        faults.loss = link.loss
        configuration.faults = faults
        let air = VirtualAir(time: time)
        let unitFolder = try UnitFolder.monocle(root: folder, name: "bench")
        if isInBootloader { try unitFolder.save(BootloaderStorage()) }
        let unit = try VirtualUnit.monocle(folder: unitFolder, configuration: configuration, air: air)
        let address = isInBootloader ? Self.next(unit.address) : unit.address
        return try await air.time.run {
            try await withVirtualUnit(unit) { [link] in
                var central = VirtualCentral(air: air)
                central.requestedMTU = link.payload + 3
                return try await body(central, address)
            }
        }
    }

    /// Where the interpreter of `Tools/setup` is.
    private static let python =
        ProcessInfo.processInfo.environment["NOAFW_PYTHON"] ?? FileManager.default.currentDirectoryPath + "/.venv/bin/python3"

    private static func next(_ address: DeviceAddress) -> DeviceAddress {
        var octets = address.octets
        octets[5] &+= 1
        return DeviceAddress(octets: octets) ?? address
    }

    func remove() { try? FileManager.default.removeItem(at: folder) }

    func content(_ name: String) -> [UInt8] {
        ((try? Data(contentsOf: folder.appendingPathComponent(name))).map { [UInt8]($0) }) ?? []
    }

    /// What the bootloader would start.
    var application: [UInt8] {
        let file = folder.appendingPathComponent("bootloader.json")
        return (try? JSONDecoder().decode(BootloaderStorage.self, from: Data(contentsOf: file)).application) ?? []
    }
}

/// Counts what a client sends.
struct CountedConnection: Connection {
    final class Count: Sendable {
        private let state = Mutex((packets: 0, bytes: 0))

        var packets: Int { state.withLock(\.packets) }
        var bytes: Int { state.withLock(\.bytes) }

        fileprivate func add(_ bytes: Int) {
            state.withLock {
                $0.packets += 1
                $0.bytes += bytes
            }
        }

        func reset() { state.withLock { $0 = (0, 0) } }
    }

    let base: any Connection
    let count = Count()

    var address: DeviceAddress { base.address }
    var payloadSize: Int { base.payloadSize }
    var isNewlyBonded: Bool { base.isNewlyBonded }

    func offers(_ characteristic: AttributeID) -> Bool { base.offers(characteristic) }

    func write(_ value: [UInt8], to characteristic: AttributeID, deadline: SessionClock.Instant) async throws {
        count.add(value.count)
        try await base.write(value, to: characteristic, deadline: deadline)
    }

    func openChannel(to characteristic: AttributeID, deadline: SessionClock.Instant) async throws -> any WriteChannel {
        Channel(base: try await base.openChannel(to: characteristic, deadline: deadline), count: count)
    }

    func subscribe(to characteristic: AttributeID, deadline: SessionClock.Instant) async throws -> Inbox<[UInt8]> {
        try await base.subscribe(to: characteristic, deadline: deadline)
    }

    func disconnect() async { await base.disconnect() }
    func waitUntilGone(deadline: SessionClock.Instant) async throws { try await base.waitUntilGone(deadline: deadline) }

    private struct Channel: WriteChannel {
        let base: any WriteChannel
        let count: Count

        func send(_ packet: [UInt8], deadline: SessionClock.Instant) async throws {
            count.add(packet.count)
            try await base.send(packet, deadline: deadline)
        }

        func close() async { await base.close() }
    }
}
