import Bluetooth
import Foundation
import Support
import TestSupport
import Testing

@testable import BlueZ

/// Whatever is cancelled or repeated leaves nothing behind.
@Suite(
    .serialized, .enabled(if: TestTools.mayRunDBus, "D-Bus or its Python library is missing: run Tools/setup tests"),
    .timeLimit(.minutes(4)))
struct LeakTests {
    /// Cancels an operation once bluetoothd has seen a call of it.
    private func cancel(
        at member: String, _ station: Station, _ operation: @escaping @Sendable () async throws -> Void
    ) async throws {
        let seen = try await station.daemon.state().calls[member] ?? 0
        let task = Task { try await operation() }
        try await station.daemon.until(calls: member, atLeast: seen + 1)
        task.cancel()
        await #expect(throws: CancellationError.self, "\(member)") { try await task.value }
    }

    @Test(arguments: ["GetManagedObjects", "SetDiscoveryFilter", "StartDiscovery", "Connect"])
    func aCancelledConnectLeavesNothing(member: String) async throws {
        let station = try await Station(unit: ["advertising": member != "Connect"])
        if member == "Connect" { try await station.daemon.tell("know", ["address": Station.address.description]) }
        if member != "Connect" { try await station.daemon.hang(member) }
        // A unit that never advertises again: discovery and connection wait for ever.
        if member == "SetDiscoveryFilter" { try await station.addUnit(["advertising": false]) }
        let central = station.central, soon = station.soon
        try await cancel(at: member, station) { _ = try await central.connect(to: Station.address, deadline: soon) }
        if member == "Connect" { try await station.expectNothingLeft() }
        await central.close()
        try await station.daemon.until("matches", equals: 0)
        #expect(central.traffic.all[.link] == nil && central.traffic.all[.discovery] == nil)
    }

    @Test func aCancelledWaitForServicesLeavesNothing() async throws {
        let station = try await Station(unit: ["resolves": false])
        let central = station.central, soon = station.soon
        let task = Task { _ = try await central.connect(to: Station.address, deadline: soon) }
        try await station.daemon.until("connected", equals: 1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        try await station.expectNothingLeft()
    }

    @Test(arguments: ["StartNotify", "AcquireWrite", "WriteValue"])
    func aCancelledOperationLeavesNothing(member: String) async throws {
        let station = try await Station()
        let connection = try await station.connect()
        let soon = station.soon
        try await station.daemon.hang(member)
        let operation: @Sendable () async throws -> Void = {
            switch member {
            case "AcquireWrite": _ = try await connection.openChannel(to: Station.receive, deadline: soon)
            case "WriteValue": try await connection.write([1], to: Station.receive, deadline: soon)
            default: _ = try await connection.subscribe(to: Station.transmit, deadline: soon)
            }
        }
        try await cancel(at: member, station, operation)
        try await station.expectNothingLeft(isConnected: 1)
        let sent = station.central.traffic.all
        #expect(sent[.sent("StopNotify"), default: 0] <= sent[.sent("StartNotify"), default: 0])
        await connection.disconnect()
        try await station.expectNothingLeft()
    }

    /// Cancels an operation whose call bluetoothd has performed and not answered yet, and lets the answer come late.
    private func cancelBeforeTheAnswer(
        to member: String, _ station: Station, _ operation: @escaping @Sendable () async throws -> Void
    ) async throws {
        try await station.daemon.hold(member)
        let task = Task { try await operation() }
        try await station.daemon.until("held", equals: 1)
        task.cancel()
        await #expect(throws: CancellationError.self, "\(member)") { try await task.value }
        try await station.daemon.answerHeld()
    }

    @Test(arguments: ["AcquireWrite", "StartNotify", "AcquireNotify", "WriteValue"])
    func aLateAnswerToACancelledOperationLeavesNothing(member: String) async throws {
        let station = try await Station()
        let connection = try await station.connect()
        let soon = station.soon
        if member == "AcquireNotify" { try await station.daemon.fail("StartNotify", "org.bluez.Error.NotSupported") }
        let descriptors = try openDescriptors()
        try await cancelBeforeTheAnswer(to: member, station) {
            switch member {
            case "AcquireWrite": _ = try await connection.openChannel(to: Station.receive, deadline: soon)
            case "WriteValue": try await connection.write([1], to: Station.receive, deadline: soon)
            default: _ = try await connection.subscribe(to: Station.transmit, deadline: soon)
            }
        }
        try await station.expectNothingLeft(isConnected: 1)
        #expect(try openDescriptors() == descriptors)
        _ = try await connection.openChannel(to: Station.receive, deadline: soon)
        _ = try await connection.subscribe(to: Station.transmit, deadline: soon)
        await connection.disconnect()
        try await station.expectNothingLeft()
    }

    @Test(arguments: ["SetDiscoveryFilter", "StartDiscovery"])
    func aLateAnswerToACancelledDiscoveryLeavesNothing(member: String) async throws {
        let station = try await Station()
        try await cancelBeforeTheAnswer(to: member, station) { _ = try await station.central.discover() }
        try await station.expectNothingLeft()
        let discovery = try await station.central.discover()
        _ = try await discovery.sightings.next(before: station.soon, on: Station.clock)
        await discovery.stop()
        try await station.expectNothingLeft()
    }

    @Test(arguments: ["SetDiscoveryFilter", "StartDiscovery", "StopDiscovery", "Connect", "Get", "RegisterAgent", "Pair"])
    func aLateAnswerToACancelledConnectLeavesNothing(member: String) async throws {
        let station = try await Station()
        let central = station.central, soon = station.soon
        if member == "Get" {
            // The link stands already: only its payload is asked for, and the caller gets it.
            try await station.daemon.hold(member)
            let task = Task { try await central.connect(to: Station.address, deadline: soon) }
            try await station.daemon.until("held", equals: 1)
            task.cancel()
            if case .success(let connection) = await task.result { await connection.disconnect() }
            try await station.daemon.answerHeld()
            return try await station.expectNothingLeft()
        }
        try await cancelBeforeTheAnswer(to: member, station) {
            _ = try await central.connect(to: Station.address, security: member == "Connect" ? .open : .bonded, deadline: soon)
        }
        try await station.expectNothingLeft()
        try await station.connect().disconnect()
        try await station.expectNothingLeft()
    }

    @Test func aLateAnswerToACancelledRemovalLeavesNothing() async throws {
        let station = try await Station(unit: nil)
        try await station.daemon.tell("know", ["address": Station.address.description])
        try await cancelBeforeTheAnswer(to: "RemoveDevice", station) {
            try await station.central.forgetBond(with: Station.address, deadline: station.soon)
        }
        try await station.daemon.until("devices", equals: 0)
        try await station.expectNothingLeft()
    }

    @Test func aCancelledWaitForAnAdapterLeavesNothing() async throws {
        let station = try await Station(powered: false)
        let central = BlueZCentral(
            adapter: nil, bus: .at(station.bus.address), clock: Station.clock,
            timeouts: .init(first: .seconds(15), recovery: .seconds(15)))
        let soon = station.soon
        for wait in 0..<2 {
            let task = Task {
                if wait == 0 {
                    _ = try await central.discover()
                } else {
                    _ = try await central.connect(to: Station.address, deadline: soon)
                }
            }
            try await station.daemon.until("matches", equals: SignalRules.standing.count)
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(central.traffic.all[.discovery] == nil && central.traffic.all[.link] == nil)
        }
        await central.close()
        try await station.daemon.until("matches", equals: 0)
    }

    @Test func aListenerThatIsCancelledStopsItsDiscovery() async throws {
        let station = try await Station()
        let central = station.central
        let task = Task {
            let discovery = try await central.discover()
            do {
                while try await discovery.sightings.next(before: station.soon, on: Station.clock) != nil {}
            } catch {
                await discovery.stop()
                throw error
            }
        }
        try await station.daemon.until("discoveries", equals: 1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        try await station.expectNothingLeft()
    }

    /// The link is lost in the middle of a subscription, which then ends once.
    @Test func aSubscriptionWhoseLinkIsLostEndsOnce() async throws {
        let station = try await Station()
        let connection = try await station.connect()
        let soon = station.soon
        let before = station.central.traffic.all
        try await station.daemon.hold("StartNotify")
        let task = Task { _ = try await connection.subscribe(to: Station.transmit, deadline: soon) }
        try await station.daemon.until("held", equals: 1)
        try await station.daemon.tell("drop", ["address": Station.address.description])
        await #expect(throws: LinkError.disconnected("the unit or the air ended it")) { try await task.value }
        try await station.daemon.answerHeld()
        try await station.expectNothingLeft()
        let sent = station.central.traffic.all
        #expect(sent[.sent("StopNotify"), default: 0] - before[.sent("StopNotify"), default: 0] == 1)
    }

    /// bluetoothd takes StopNotify for the end of whatever was acquired, by whomever.
    @Test func aRefusedSubscriptionTakesNothingFromAnotherProgram() async throws {
        let station = try await Station()
        let connection = try await station.connect()
        try await station.daemon.tell("occupy", ["uuid": Station.transmit.description])
        await #expect(throws: LinkError.acquired(Station.transmit, .subscription)) {
            _ = try await connection.subscribe(to: Station.transmit, deadline: station.soon)
        }
        try await connection.write([1], to: Station.receive, deadline: station.soon)
        #expect(try await station.daemon.state().sockets == 1)
        #expect(station.central.traffic.all[.subscription] == nil)
        #expect(station.central.traffic.all[.sent("StopNotify")] == nil)
        await connection.disconnect()
        try await station.expectNothingLeft()
    }

    @Test func aCancelledSenderLeavesNothing() async throws {
        let station = try await Station()
        let connection = try await station.connect()
        try await station.daemon.tell("stall", ["uuid": Station.receive.description, "on": true])
        let channel = try await connection.openChannel(to: Station.receive, deadline: station.soon)
        let soon = station.soon
        let task = Task { while true { try await channel.send([UInt8](repeating: 0, count: 244), deadline: soon) } }
        try await station.daemon.until("sockets", equals: 1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        await channel.close()
        try await station.daemon.tell("stall", ["uuid": Station.receive.description, "on": false])
        await connection.disconnect()
        try await station.expectNothingLeft()
    }

    @Test func deadlinesPassAndLeaveNothing() async throws {
        let station = try await Station(unit: nil)
        await #expect(throws: LinkError.connectFailed(Station.address, reason: "no such device advertises")) {
            _ = try await station.central.connect(to: Station.address, deadline: Station.clock.deadline(in: .milliseconds(300)))
        }
        try await station.addUnit(["advertising": false])
        try await station.daemon.tell("know", ["address": Station.address.description])
        let (session, adapter) = try await station.central.station(before: station.soon)
        try await session.wait(for: "the device", before: station.soon) { state in
            state.mirror.device(Station.address, on: adapter.path).map { _ in }
        }
        await #expect(throws: LinkError.connectFailed(Station.address, reason: "the unit did not answer in time")) {
            _ = try await station.central.connect(to: Station.address, deadline: Station.clock.deadline(in: .milliseconds(300)))
        }
        try await station.expectNothingLeft()
    }

    @Test func aForgottenConnectionIsClosed() async throws {
        let station = try await Station()
        _ = try await station.connect()
        try await station.expectNothingLeft()
    }

    @Test func closingLeavesTheBus() async throws {
        let before = try openDescriptors()
        do {
            let station = try await Station()
            let connection = try await station.connect()
            _ = try await connection.subscribe(to: Station.transmit, deadline: station.soon)
            let channel = try await connection.openChannel(to: Station.receive, deadline: station.soon)
            let discovery = try await station.central.discover()
            await station.central.close()
            await #expect(throws: LinkError.self) { try await channel.send([1], deadline: station.soon) }
            await discovery.stop()
            for (key, value) in [("matches", 0), ("connected", 0), ("discoveries", 0), ("sockets", 0)] {
                try await station.daemon.until(key, equals: value)
            }
            station.daemon.end()
            station.bus.end()
        }
        #expect(try openDescriptors() <= before)
    }

    @Test func aHundredRoundsCostNothing() async throws {
        let station = try await Station(unit: ["echo": Station.transmit.description])
        func round() async throws {
            let connection = try await station.connect()
            let inbox = try await connection.subscribe(to: Station.transmit, deadline: station.soon)
            let channel = try await connection.openChannel(to: Station.receive, deadline: station.soon)
            try await channel.send([7], deadline: station.soon)
            #expect(try await inbox.next(before: station.soon, on: Station.clock) == [7])
            await channel.close()
            await connection.disconnect()
        }
        for _ in 0..<10 { try await round() }
        try await station.expectNothingLeft()
        let descriptors = try openDescriptors()
        let memory = try residentMemory()
        for _ in 0..<100 { try await round() }
        try await station.expectNothingLeft()
        #expect(try openDescriptors() == descriptors)
        let growth = try residentMemory() - memory
        #expect(growth < 8 * 1024 * 1024, "\(growth) bytes")
    }
}
