import Bluetooth
import Foundation
import Support
import TestSupport
import Testing

@testable import BlueZ

/// The central against a stand-in of bluetoothd, through a real message bus.
@Suite(
    .serialized, .enabled(if: TestTools.mayRunDBus, "D-Bus or its Python library is missing: run Tools/setup tests"),
    .timeLimit(.minutes(3)))
struct CentralTests {
    @Test func seesAdvertisementsAndStops() async throws {
        let station = try await Station()
        let discovery = try await station.central.discover()
        let sighting = try #require(try await discovery.sightings.next(before: station.soon, on: Station.clock))
        #expect(sighting == Advertisement(
            address: Station.address, name: "monocle", services: [AttributeID(Station.service)], rssi: -50))
        #expect(try await discovery.sightings.next(before: station.soon, on: Station.clock) != nil, "every advertisement counts")
        #expect(station.central.traffic.all[.discovery] == 1)
        await discovery.stop()
        try await station.expectNothingLeft()
    }

    /// The stand-in obeys it: without a filter the second sighting of a unit whose strength does not change never comes.
    @Test func discoversWithItsFilter() async throws {
        let station = try await Station()
        let discovery = try await station.central.discover()
        for _ in 0..<3 { #expect(try await discovery.sightings.next(before: station.soon, on: Station.clock) != nil) }
        #expect(try await station.daemon.state().filters == [.init(Transport: "le", DuplicateData: true)])
        await discovery.stop()
        try await station.expectNothingLeft()
    }

    @Test func aRememberedDeviceIsNoSighting() async throws {
        let station = try await Station(unit: nil)
        try await station.daemon.tell("know", ["address": "C0:FF:EE:00:00:99"])
        try await station.addUnit()
        let discovery = try await station.central.discover()
        for _ in 0..<20 {
            let sighting = try #require(try await discovery.sightings.next(before: station.soon, on: Station.clock))
            #expect(sighting.address == Station.address)
        }
        await discovery.stop()
        try await station.expectNothingLeft()
    }

    @Test func twoListenersShareOneDiscovery() async throws {
        let station = try await Station()
        let first = try await station.central.discover()
        let second = try await station.central.discover()
        await first.stop()
        await first.stop()
        #expect(station.central.traffic.all[.discovery] == 1)
        #expect(try await second.sightings.next(before: station.soon, on: Station.clock) != nil)
        #expect(try await station.daemon.state().calls["StartDiscovery"] == 1)
        await second.stop()
        try await station.expectNothingLeft()
    }

    @Test func connectsToAnUnknownUnitAndTalks() async throws {
        let station = try await Station(unit: ["echo": Station.transmit.description])
        let connection = try await station.connect()
        #expect(connection.payloadSize == 244)
        let inbox = try await connection.subscribe(to: Station.transmit, deadline: station.soon)
        try await connection.write([1, 2, 3], to: Station.receive, deadline: station.soon)
        #expect(try await inbox.next(before: station.soon, on: Station.clock) == [1, 2, 3])
        let channel = try await connection.openChannel(to: Station.receive, deadline: station.soon)
        try await channel.send([4, 5], deadline: station.soon)
        #expect(try await inbox.next(before: station.soon, on: Station.clock) == [4, 5])
        await channel.close()
        await connection.disconnect()
        await #expect(throws: LinkError.disconnected("closed by this host")) {
            try await connection.write([1], to: Station.receive, deadline: station.soon)
        }
        try await connection.waitUntilGone(deadline: station.soon)
        try await station.expectNothingLeft()
    }

    /// A program that died leaves its link to bluetoothd; until it ends, nobody sees the unit.
    @Test func aLinkOfAnotherProgramIsFoundAndEnded() async throws {
        let station = try await Station()
        let connection = try await station.connect()
        let other = Station.central(on: station.bus)
        let links = try await other.foreignConnections(before: station.soon)
        #expect(links.map(\.address) == [Station.address])
        #expect(links.map(\.name) == ["monocle"])
        #expect(try await station.central.foreignConnections(before: station.soon).isEmpty, "its own is not foreign")
        for link in links { try await other.end(link, before: station.soon) }
        #expect(try await other.foreignConnections(before: station.soon).isEmpty)
        try await connection.waitUntilGone(deadline: station.soon)
        for link in links { try await other.end(link, before: station.soon) }
        await other.close()
        await connection.disconnect()
        try await station.expectNothingLeft()
    }

    @Test(arguments: [(23, 20), (247, 244), (517, 512), (65_535, 512)])
    func payloadFollowsTheMTU(mtu: Int, payload: Int) async throws {
        let station = try await Station(unit: ["mtu": mtu])
        let connection = try await station.connect()
        #expect(connection.payloadSize == payload)
        let channel = try await connection.openChannel(to: Station.receive, deadline: station.soon)
        await #expect(throws: LinkError.valueTooLong(count: payload + 1, limit: payload)) {
            try await channel.send([UInt8](repeating: 0, count: payload + 1), deadline: station.soon)
        }
        await connection.disconnect()
    }

    @Test func triesAgainAtOnceInCrowdedAir() async throws {
        let station = try await Station()
        try await station.daemon.fail("Connect", "org.bluez.Error.Failed", "le-connection-abort-by-local")
        try await station.daemon.fail("Connect", "org.bluez.Error.Failed", "br-connection-canceled")
        let connection = try await station.connect()
        #expect(try await station.daemon.state().calls["Connect"] == 3)
        await connection.disconnect()
        try await station.expectNothingLeft()
    }

    @Test func discoveryPausesForAConnectionAttempt() async throws {
        let station = try await Station()
        let discovery = try await station.central.discover()
        _ = try await discovery.sightings.next(before: station.soon, on: Station.clock)
        let connection = try await station.connect()
        let calls = try await station.daemon.state().calls
        #expect(calls["StopDiscovery"] == 1)
        try await station.daemon.until("discoveries", equals: 1)
        await connection.disconnect()
        #expect(try await discovery.sightings.next(before: station.soon, on: Station.clock) != nil)
        await discovery.stop()
        try await station.expectNothingLeft()
    }

    /// However long the attempt takes, whoever listens meanwhile is heard after it.
    @Test func aDiscoveryBegunDuringAConnectionAttemptHearsAfterIt() async throws {
        let station = try await Station(unit: ["advertising": false])
        try await station.daemon.tell("know", ["address": Station.address.description])
        async let connecting = station.connect()
        try await station.daemon.until("pendingConnects", equals: 1)
        let discovery = try await station.central.discover()
        #expect(try await station.daemon.state().discoveries == 0)
        try await station.addUnit()
        await (try await connecting).disconnect()
        #expect(try await discovery.sightings.next(before: station.soon, on: Station.clock) != nil)
        await discovery.stop()
        try await station.expectNothingLeft()
    }

    @Test func waitsForServicesThatAreResolvedLate() async throws {
        let station = try await Station(unit: ["resolves": false])
        async let connecting = station.connect()
        try await station.daemon.until("connected", equals: 1)
        try await station.daemon.tell("resolve", ["address": Station.address.description])
        let connection = try await connecting
        _ = try await connection.subscribe(to: Station.transmit, deadline: station.soon)
        await connection.disconnect()
        try await station.expectNothingLeft()
    }

    @Test func everyNotificationOfABurstArrivesInOrder() async throws {
        let station = try await Station()
        let connection = try await station.connect()
        let inbox = try await connection.subscribe(to: Station.transmit, deadline: station.soon)
        let count = 3000
        try await station.daemon.tell(
            "notify", ["address": Station.address.description, "uuid": Station.transmit.description, "count": count])
        for number in 0..<count {
            let value = try #require(try await inbox.next(before: station.soon, on: Station.clock))
            #expect(value == withUnsafeBytes(of: UInt32(number).littleEndian, Array.init))
        }
        await connection.disconnect()
        try await station.expectNothingLeft()
    }

    @Test func notificationsComeThroughASocketWhereSignalsAreRefused() async throws {
        let station = try await Station()
        let connection = try await station.connect()
        try await station.daemon.fail("StartNotify", "org.bluez.Error.NotSupported")
        let inbox = try await connection.subscribe(to: Station.transmit, deadline: station.soon)
        // One inbox for each characteristic of a link, however it is fed.
        #expect(try await connection.subscribe(to: Station.transmit, deadline: station.soon) === inbox)
        try await station.daemon.tell(
            "notify", ["address": Station.address.description, "uuid": Station.transmit.description, "count": 20])
        for number in 0..<20 {
            #expect(try await inbox.next(before: station.soon, on: Station.clock) == [UInt8(number), 0, 0, 0])
        }
        #expect(station.central.traffic.all[.packetReceived] == 20)
        await connection.disconnect()
        // That one ended with its link; the next link has its own.
        let next = try await station.connect()
        #expect(try await next.subscribe(to: Station.transmit, deadline: station.soon) !== inbox)
        await next.disconnect()
        try await station.expectNothingLeft()
    }

    /// Even if the bus's thread has not read them when the link ends.
    @Test func theLastNotificationsOfALinkArrive() async throws {
        let station = try await Station()
        let connection = try await station.connect()
        try await station.daemon.fail("StartNotify", "org.bluez.Error.NotSupported")
        let inbox = try await connection.subscribe(to: Station.transmit, deadline: station.soon)
        let (session, _) = try await station.central.station(before: station.soon)
        let links = session.read { Array($0.links.values) }
        let link = try #require(links.first)
        let isHeld = Inbox<Void>()
        let release = DispatchSemaphore(value: 0)
        defer { release.signal() }
        session.bus.send(.bus("GetId")) { _ in
            isHeld.deliver(())
            release.wait()
        }
        _ = try await isHeld.next(before: station.soon, on: Station.clock)
        try await station.daemon.tell(
            "notify", ["address": Station.address.description, "uuid": Station.transmit.description, "count": 20])
        let lost = LinkError.disconnected("the unit or the air ended it")
        link.finish(lost)
        release.signal()
        for number in 0..<20 {
            #expect(try await inbox.next(before: station.soon, on: Station.clock) == [UInt8(number), 0, 0, 0])
        }
        await #expect(throws: lost) { try await inbox.next(before: station.soon, on: Station.clock) }
        await connection.disconnect()
        await station.central.close()
    }

    /// Nobody waits for notifications that cannot come any more.
    @Test func aNotificationSocketThatBluetoothdClosesEndsItsInbox() async throws {
        let station = try await Station()
        let connection = try await station.connect()
        try await station.daemon.fail("StartNotify", "org.bluez.Error.NotSupported")
        let inbox = try await connection.subscribe(to: Station.transmit, deadline: station.soon)
        try await station.daemon.tell(
            "notify", ["address": Station.address.description, "uuid": Station.transmit.description, "count": 1])
        try await station.daemon.tell("hang_up")
        #expect(try await inbox.next(before: station.soon, on: Station.clock) == [0, 0, 0, 0])
        await #expect(throws: LinkError.disconnected("bluetoothd closed the notifications")) {
            try await inbox.next(before: station.soon, on: Station.clock)
        }
        await connection.disconnect()
        try await station.expectNothingLeft()
    }

    @Test func dataPacketsCostNoMessage() async throws {
        let station = try await Station()
        let connection = try await station.connect()
        let channel = try await connection.openChannel(to: Station.receive, deadline: station.soon)
        let before = station.central.traffic.all
        let packet = [UInt8](repeating: 0xA5, count: connection.payloadSize)
        for _ in 0..<1000 { try await channel.send(packet, deadline: station.soon) }
        let after = station.central.traffic.all
        #expect(after == before.merging([.packetSent: 1000]) { $1 }, "no message")
        let seen = try await station.daemon.until("packets", equals: 1000)
        #expect(seen?.packetBytes == 244_000)
        await connection.disconnect()
        try await station.expectNothingLeft()
    }

    /// bluetoothd sees the end of a socket later than whoever closed it.
    @Test func aWriteBehindAClosedChannelWaitsForItsRelease() async throws {
        let station = try await Station()
        let connection = try await station.connect()
        let channel = try await connection.openChannel(to: Station.receive, deadline: station.soon)
        await #expect(throws: LinkError.acquired(Station.receive, .write)) {
            try await connection.write([1], to: Station.receive, deadline: station.soon)
        }
        try await station.daemon.fail("WriteValue", "org.bluez.Error.NotPermitted", "Write acquired", times: 3)
        await channel.close()
        try await connection.write([2], to: Station.receive, deadline: station.soon)
        await connection.disconnect()
        try await station.expectNothingLeft()
    }

    @Test func aFullSocketHoldsTheSenderBack() async throws {
        let station = try await Station()
        let connection = try await station.connect()
        try await station.daemon.tell("stall", ["uuid": Station.receive.description, "on": true])
        let channel = try await connection.openChannel(to: Station.receive, deadline: station.soon)
        let packet = [UInt8](repeating: 1, count: 244)
        var count = 0
        await #expect(throws: LinkError.timedOut("room in bluetoothd's queue")) {
            while count < 100_000 {
                try await channel.send(packet, deadline: Station.clock.deadline(in: .milliseconds(200)))
                count += 1
            }
        }
        #expect(count > 50)
        try await station.daemon.tell("stall", ["uuid": Station.receive.description, "on": false])
        try await channel.send(packet, deadline: station.soon)
        try await station.daemon.until("packets", equals: count + 1)
        await connection.disconnect()
        try await station.expectNothingLeft()
    }

    @Test func aLostLinkEndsEverything() async throws {
        let station = try await Station()
        let connection = try await station.connect()
        let inbox = try await connection.subscribe(to: Station.transmit, deadline: station.soon)
        let channel = try await connection.openChannel(to: Station.receive, deadline: station.soon)
        try await station.daemon.tell("drop", ["address": Station.address.description])
        let lost = LinkError.disconnected("the unit or the air ended it")
        await #expect(throws: lost) { _ = try await inbox.next(before: station.soon, on: Station.clock) }
        try await connection.waitUntilGone(deadline: station.soon)
        await #expect(throws: lost) { try await channel.send([1], deadline: station.soon) }
        await #expect(throws: lost) { try await connection.write([1], to: Station.receive, deadline: station.soon) }
        await #expect(throws: lost) { _ = try await connection.subscribe(to: Station.transmit, deadline: station.soon) }
        try await station.expectNothingLeft()
    }

    @Test func aStaleAttributeTableIsForgottenOnce() async throws {
        let station = try await Station()
        try await station.daemon.tell(
            "know",
            ["address": Station.address.description,
                "cached": [
                    ["uuid": Station.service, "characteristics": [["uuid": "00002a00-0000-1000-8000-00805f9b34fb", "flags": ["read"]]]]
                ]
            ])
        let connection = try await station.connect()
        _ = try await connection.subscribe(to: Station.transmit, deadline: station.soon)
        #expect(try await station.daemon.state().calls["RemoveDevice"] == 1)
        await #expect(throws: LinkError.characteristicMissing(AttributeID("fe59"))) {
            try await connection.write([1], to: AttributeID("fe59"), deadline: station.soon)
        }
        #expect(try await station.daemon.state().calls["RemoveDevice"] == 1)
        await connection.disconnect()
        try await station.expectNothingLeft()
    }

    @Test func whatAFreshTableLacksIsNotSoughtAgain() async throws {
        let station = try await Station()
        let connection = try await station.connect()
        for _ in 0..<2 {
            await #expect(throws: LinkError.characteristicMissing(AttributeID("fe59"))) {
                try await connection.write([1], to: AttributeID("fe59"), deadline: station.soon)
            }
            #expect(try await station.daemon.state().calls["RemoveDevice"] == 1)
        }
        await connection.disconnect()
        try await station.expectNothingLeft()
    }

    @Test func twoLinksToOneUnitAreOneTooMany() async throws {
        let station = try await Station()
        let connection = try await station.connect()
        await #expect(throws: LinkError.self) { _ = try await station.connect() }
        try await connection.write([1], to: Station.receive, deadline: station.soon)
        await connection.disconnect()
        try await station.expectNothingLeft()
    }
}
