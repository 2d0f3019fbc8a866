import Bluetooth
import Foundation
import Support
import TestSupport
import Testing

@testable import BlueZ

/// Many centrals, many calls, much air: what it costs.
@Suite(
    .serialized, .enabled(if: TestTools.mayRunDBus, "D-Bus or its Python library is missing: run Tools/setup tests"),
    .timeLimit(.minutes(3)))
struct ManyCentralsTests {
    private static func address(_ number: Int) -> DeviceAddress { DeviceAddress(octets: [0xC0, 0xFF, 0xEE, 0, 1, UInt8(number)])! }

    /// Threads of this process by their names.
    private func busThreads() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count { thread in
            (try? String(contentsOfFile: "/proc/self/task/\(thread)/comm", encoding: .utf8))?.hasPrefix("noafw-dbus") == true
        }
    }

    private func waitUntil(_ condition: () throws -> Bool) async throws {
        let deadline = Station.clock.deadline(in: .seconds(10))
        while try !condition(), Station.clock.now < deadline {
            try await Station.clock.sleep(until: Station.clock.deadline(in: .milliseconds(20)))
        }
        #expect(try condition())
    }

    /// Four adapters, four units on each: for each central one thread, two descriptors and the standing rules; for each unit nothing.
    @Test func eachAdaptersCentralWorksAtOnce() async throws {
        let station = try await Station(unit: nil)
        for number in 1..<4 {
            try await station.daemon.tell("adapter", ["name": "hci\(number)", "address": "00:11:22:33:44:6\(number)"])
        }
        for number in 0..<16 {
            try await station.addUnit(["address": Self.address(number).description, "echo": Station.transmit.description])
        }
        try await waitUntil { try busThreads() == 0 }
        let descriptors = try openDescriptors()
        try await workAtOnce(station, descriptors)
        try await station.daemon.until("connected", equals: 0)
        try await waitUntil { try busThreads() == 0 && openDescriptors() == descriptors }
    }

    private func workAtOnce(_ station: Station, _ descriptors: Int) async throws {
        let centrals = (0..<4).map { BlueZCentral(adapter: .kernelName("hci\($0)"), bus: .at(station.bus.address), clock: Station.clock) }
        let connections = try await withThrowingTaskGroup(of: [any Connection].self) { group in
            for (adapter, central) in centrals.enumerated() {
                group.addTask {
                    var links: [any Connection] = []
                    for unit in 0..<4 {
                        let link = try await central.connect(to: Self.address(adapter * 4 + unit), deadline: station.soon)
                        let echo = try await link.subscribe(to: Station.transmit, deadline: station.soon)
                        try await link.write([UInt8(adapter), UInt8(unit)], to: Station.receive, deadline: station.soon)
                        #expect(try await echo.next(before: station.soon, on: Station.clock) == [UInt8(adapter), UInt8(unit)])
                        links.append(link)
                    }
                    return links
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(connections.count == 16)
        #expect(try busThreads() == 4)
        #expect(try openDescriptors() - descriptors == 8, "a bell and a socket each")
        try await station.daemon.until("matches", equals: 4 * SignalRules.standing.count)
        for central in centrals { #expect(try await central.linkCount(before: station.soon) == 4) }
        for central in centrals { await central.close() }
    }

    @Test func callsUnderWayAreBounded() async throws {
        let station = try await Station()
        let (session, adapter) = try await station.central.station(before: station.soon)
        try await station.daemon.tell("fault", ["member": "Get", "hold": true, "times": 150])
        let soon = station.soon
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<150 {
                group.addTask {
                    _ = try await session.call(
                        .bluez(BusName.properties, "Get", at: adapter.path, .string(BusName.adapter), .string("Address")), before: soon)
                }
            }
            try await station.daemon.until("held", equals: BusLoop.mostCalls)
            #expect(station.central.traffic.all[.call] == BusLoop.mostCalls)
            for count in [BusLoop.mostCalls, 150 - 2 * BusLoop.mostCalls] {
                try await station.daemon.answerHeld()
                try await station.daemon.until("held", equals: count)
            }
            try await station.daemon.answerHeld()
            try await group.waitForAll()
        }
        #expect(try await station.daemon.state().calls["Get"] == 150)
        try await station.expectNothingLeft()
    }

    /// A call that waits for its turn can be given up, and expires like any other.
    @Test func aCallThatWaitsForItsTurnLeavesNothing() async throws {
        let station = try await Station()
        let (session, adapter) = try await station.central.station(before: station.soon)
        try await station.daemon.tell("fault", ["member": "Get", "hold": true, "times": BusLoop.mostCalls])
        let request = BusRequest.bluez(BusName.properties, "Get", at: adapter.path, .string(BusName.adapter), .string("Address"))
        let soon = station.soon
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<BusLoop.mostCalls { group.addTask { _ = try await session.call(request, before: soon) } }
            try await station.daemon.until("held", equals: BusLoop.mostCalls)
            await #expect(throws: LinkError.self) {
                _ = try await session.call(request, before: Station.clock.deadline(in: .milliseconds(100)))
            }
            let answer = Inbox<Bool>()
            session.bus.send(request, expiry: .now.advanced(by: .milliseconds(100))) { answer.deliver((try? $0.get()) == nil) }
            #expect(try await answer.next(before: soon, on: Station.clock) == true)
            try await station.daemon.answerHeld()
            try await group.waitForAll()
        }
        #expect(try await station.daemon.state().calls["Get"] == BusLoop.mostCalls)
        try await station.expectNothingLeft()
    }

    @Test func whatIsNotWantedIsNotRead() {
        var state = SessionState()
        func isRead(_ path: String, change: Bool = true) -> Bool { path.withCString { state.isWorthReading($0, isChange: change) } }
        let device = "/org/bluez/hci1/dev_C0_FF_EE_00_00_01"
        #expect(isRead("/") && isRead("/org/freedesktop/DBus") && isRead("/org/bluez") && isRead("/org/bluez/hci1"))
        #expect(isRead(device), "every adapter's, while none is chosen")
        state.adapterInUse = "/org/bluez/hci1"
        #expect(isRead(device) && isRead(device, change: false))
        #expect(isRead("/org/bluez/hci0"), "adapters come and go")
        for other in ["/org/bluez/hci0/dev_1", "/org/bluez/hci10/dev_1", "/org/bluez/hci/dev_1"] {
            #expect(!isRead(other) && !isRead(other, change: false))
        }
        let characteristic = device + "/service000a/char000c"
        #expect(isRead(characteristic, change: false))
        #expect(!isRead(characteristic), "another program's notifications")
        state.subscriptions[characteristic] = Inbox()
        #expect(isRead(characteristic) && !isRead(device + "/service000a/char000e"))
        for rest in ["/service000a", "/service000a/char000c/desc000d", "/fd0", "/", "//", "/service000a/char000c/"] {
            #expect(!isRead(device + rest, change: false), "\(rest)")
        }
    }

    /// Another adapter's crowd of advertisers costs this central's thread no reading.
    @Test func anotherAdaptersCrowdIsDroppedUnread() async throws {
        let station = try await Station(unit: nil)
        try await station.daemon.tell("adapter", ["name": "hci1", "address": "00:11:22:33:44:61"])
        let central = BlueZCentral(adapter: .kernelName("hci1"), bus: .at(station.bus.address), clock: Station.clock)
        _ = try await central.linkCount(before: station.soon)
        let before = central.traffic.all
        try await station.daemon.tell("flood", ["rate": 5000, "count": 1000, "devices": 100, "bytes": 20])
        try await waitUntil { central.traffic.all[.dropped, default: 0] - before[.dropped, default: 0] >= 1000 }
        #expect(central.traffic.all[.received] == before[.received])
        await central.close()
    }
}
