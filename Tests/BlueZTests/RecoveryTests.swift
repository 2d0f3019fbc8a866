import Bluetooth
import Foundation
import Support
import TestSupport
import Testing

@testable import BlueZ

/// What is missing, what goes away, what comes back.
@Suite(
    .serialized, .enabled(if: TestTools.mayRunDBus, "D-Bus or its Python library is missing: run Tools/setup tests"),
    .timeLimit(.minutes(3)))
struct RecoveryTests {
    private func code(_ operation: () async throws -> Void) async -> String {
        do {
            try await operation()
            return "nothing thrown"
        } catch {
            return (error as? any DiagnosableError)?.diagnosis.code ?? "\(error)"
        }
    }

    @Test func noBus() async throws {
        let central = BlueZCentral(bus: .at("unix:path=/nonexistent/bus"))
        #expect(await code { _ = try await central.discover() } == "BLZ-0001")
    }

    /// Even if it was made before the bus was found missing.
    @Test func aCallThatNoBusTookIsAnswered() async throws {
        let bus = BusThread(traffic: BusTraffic())
        let answer = Inbox<BlueZError>()
        let end = Inbox<BlueZError>()
        bus.send(.bus("Hello")) { if case .failure(let error) = $0 { answer.deliver(error) } }
        bus.start(
            address: "unix:path=/nonexistent/bus",
            listener: BusThread.Listener(
                isWanted: { _, _ in false }, signal: { _ in }, call: { _ in nil }, rest: { nil }, gone: { end.deliver($0) }))
        for told in [answer, end] {
            let error = try await told.next(before: Station.clock.deadline(in: .seconds(15)), on: Station.clock)
            #expect(error?.diagnosis.code == "BLZ-0001")
        }
    }

    @Test func aBusThatRefusesTheUser() async throws {
        let bus = try await PrivateBus(policy: "<deny user=\"*\"/>")
        let central = Station.central(on: bus)
        let found = await code { _ = try await central.discover() }
        #expect(found == "BLZ-0002")
    }

    @Test(.enabled(if: geteuid() != 0, "root may open every socket")) func aSocketThatRefusesTheUser() async throws {
        let bus = try await PrivateBus()
        try bus.setSocketPermissions(0)
        #expect(await code { _ = try await Station.central(on: bus).discover() } == "BLZ-0002")
    }

    @Test func aPolicyThatRefusesTheUser() async throws {
        let bus = try await PrivateBus(policy: "<deny send_destination=\"org.bluez\"/>")
        let daemon = try await StandIn(on: bus)
        let central = Station.central(on: bus)
        #expect(await code { _ = try await central.discover() } == "BLZ-0003")
        daemon.end()
    }

    /// Without one of its rules it would not hear what bluetoothd tells.
    @Test func aBusThatTakesTooFewMatchRules() async throws {
        let count = SignalRules.standing.count - 1
        let bus = try await PrivateBus(limits: "<limit name=\"max_match_rules_per_connection\">\(count)</limit>")
        let daemon = try await StandIn(on: bus)
        try await daemon.tell("adapter")
        let central = Station.central(on: bus)
        #expect(await code { _ = try await central.discover() } == "BLZ-0004")
        daemon.end()
    }

    @Test func noDaemonThenOne() async throws {
        let bus = try await PrivateBus()
        let central = Station.central(on: bus)
        #expect(await code { _ = try await central.discover() } == "BLZ-0006")
        let daemon = try await StandIn(on: bus)
        #expect(await code { _ = try await central.discover() } == "BLZ-0011", "no adapter")
        try await daemon.tell("adapter", ["powered": false])
        #expect(await code { _ = try await central.discover() } == "BLZ-0012", "off")
        try await daemon.tell("power", ["on": true])
        let discovery = try await central.discover()
        await discovery.stop()
    }

    @Test func anAdapterThatIsNotThere() async throws {
        let station = try await Station()
        let central = BlueZCentral(adapter: .kernelName("hci7"), bus: .at(station.bus.address))
        #expect(await code { _ = try await central.discover() } == "BLZ-0011")
    }

    @Test func anAttributeErrorIsTheUnits() async throws {
        let station = try await Station()
        let connection = try await station.connect()
        try await station.daemon.tell(
            "att_error", ["address": Station.address.description, "uuid": Station.receive.description, "code": 0xFD])
        await #expect(throws: LinkError.refused(Station.receive, attributeError: 0xFD)) {
            try await connection.write([1], to: Station.receive, deadline: station.soon)
        }
        await connection.disconnect()
    }

    /// bluetoothd's word for ATT error 05.
    @Test func aDemandForPairingIsTheUnits() async throws {
        let station = try await Station()
        let connection = try await station.connect()
        try await station.daemon.fail("WriteValue", "org.bluez.Error.NotPermitted", "Not paired")
        let demand = LinkError.refused(Station.receive, attributeError: 0x05)
        await #expect(throws: demand) { try await connection.write([1], to: Station.receive, deadline: station.soon) }
        #expect(demand.demandsPairing && demand.diagnosis.cause.contains("pairing"))
        try await station.daemon.fail("StartNotify", "org.bluez.Error.Failed", "Operation failed with ATT error: 0x80")
        let refusal = LinkError.refused(Station.transmit, attributeError: 0x80, of: .subscription)
        await #expect(throws: refusal) { _ = try await connection.subscribe(to: Station.transmit, deadline: station.soon) }
        #expect(refusal.diagnosis.message.contains("refused a subscription of"))
        await connection.disconnect()
    }

    /// The table says so: neither the adapter nor bluetoothd is to blame.
    @Test func whatACharacteristicDoesNotAllowIsTheUnits() async throws {
        let characteristics: [[String: Any]] = [
            ["uuid": Station.receive.description, "flags": ["write"]], ["uuid": Station.transmit.description, "flags": ["read"]],
        ]
        let station = try await Station(unit: ["services": [["uuid": Station.service, "characteristics": characteristics]]])
        let connection = try await station.connect()
        await #expect(throws: LinkError.notAllowed(Station.receive, .writeWithoutResponse)) {
            _ = try await connection.openChannel(to: Station.receive, deadline: station.soon)
        }
        await #expect(throws: LinkError.notAllowed(Station.transmit, .subscription)) {
            _ = try await connection.subscribe(to: Station.transmit, deadline: station.soon)
        }
        #expect(LinkError.notAllowed(Station.transmit, .subscription).diagnosis.fault == .unit)
        await connection.disconnect()
        try await station.expectNothingLeft()
    }

    /// A crowd of advertisers makes bluetoothd's list long: what is slow does not hang.
    @Test func aListThatTakesItsTimeIsWaitedFor() async throws {
        let station = try await Station()
        let central = Station.central(on: station.bus)
        try await station.daemon.hold("GetManagedObjects")
        async let discovery = central.discover()
        try await station.daemon.until(calls: "GetManagedObjects")
        try await Station.clock.sleep(until: Station.clock.deadline(in: .milliseconds(600)))
        try await station.daemon.answerHeld()
        await (try await discovery).stop()
        #expect(try await station.daemon.state().calls["GetManagedObjects"] == 1, "and is not asked for again")
        await central.close()
    }

    /// 135 to 200 advertisements a second once ended a scan after 2 s. A second one begins in the middle, when bluetoothd's list is long.
    @Test(arguments: [(2000, 0), (2000, 31), (3, 31), (2000, 1600)])
    func aFloodOfAdvertisementsEndsNothing(devices: Int, byteCount: Int) async throws {
        let station = try await Station()
        let discovery = try await station.central.discover()
        let count = TestRange.isFull ? 2000 : 600
        try await station.daemon.tell("flood", ["rate": 200, "count": count, "devices": devices, "bytes": byteCount])
        _ = try await station.daemon.tell("until", ["key": "advertised", "atLeast": count / 2])
        let central = Station.central(on: station.bus)
        let second = try await central.discover()
        _ = try await station.daemon.tell("until", ["key": "advertised", "atLeast": count])
        for (inbox, share) in [(discovery.sightings, 2), (second.sightings, 4)] {
            let wanted = min(devices, count / share)
            var heard: Set<DeviceAddress> = []
            while heard.count < wanted, let sighting = try await inbox.next(before: station.soon, on: Station.clock) {
                heard.insert(sighting.address)
            }
            #expect(heard.count >= wanted)
            // What is on the air now is heard behind the rest of the flood.
            let deadline = station.soon
            var isHeard = false
            while !isHeard, let sighting = try await inbox.next(before: deadline, on: Station.clock) {
                isHeard = sighting.address == Station.address
            }
            #expect(isHeard)
        }
        await second.stop()
        await discovery.stop()
        await central.close()
    }

    @Test func aDaemonThatRestartsEndsLinksAndTheNextUseWorks() async throws {
        let station = try await Station()
        let connection = try await station.connect()
        let inbox = try await connection.subscribe(to: Station.transmit, deadline: station.soon)
        let discovery = try await station.central.discover()
        station.daemon.end()
        await #expect(throws: LinkError.disconnected("bluetoothd stopped")) {
            _ = try await inbox.next(before: station.soon, on: Station.clock)
        }
        let ended = await code { while try await discovery.sightings.next(before: station.soon, on: Station.clock) != nil {} }
        #expect(ended == "BLZ-0008")
        await discovery.stop()
        await connection.disconnect()
        #expect(station.central.traffic.all[.link] == nil)

        async let again = station.connect()
        let second = try await StandIn(on: station.bus)
        try await second.tell("adapter")
        try await station.addUnit(to: second)
        let renewed = try await again
        try await renewed.write([1], to: Station.receive, deadline: station.soon)
        await renewed.disconnect()
        try await second.until("connected", equals: 0)
        try await second.until("matches", equals: SignalRules.standing.count)
    }

    /// Then its absence is the reason, not the adapter that it does not show.
    @Test func aDaemonThatStaysAwayIsWhatIsMissing() async throws {
        let station = try await Station()
        let central = Station.central(on: station.bus, recovery: .seconds(1))
        let discovery = try await central.discover()
        station.daemon.end()
        let ended = await code { while try await discovery.sightings.next(before: station.soon, on: Station.clock) != nil {} }
        #expect(ended == "BLZ-0008")
        #expect(await code { _ = try await central.discover() } == "BLZ-0006")
        await central.close()
    }

    @Test func anAdapterThatIsSwitchedOffAndOn() async throws {
        let station = try await Station()
        let connection = try await station.connect()
        let discovery = try await station.central.discover()
        try await station.daemon.tell("power", ["on": false])
        try await connection.waitUntilGone(deadline: station.soon)
        let ended = await code { while try await discovery.sightings.next(before: station.soon, on: Station.clock) != nil {} }
        #expect(ended == "BLZ-0012")
        await discovery.stop()
        async let again = station.connect()
        try await station.daemon.tell("power", ["on": true])
        let renewed = try await again
        await renewed.disconnect()
        try await station.expectNothingLeft()
    }

    /// bluetoothd shows an adapter as on a moment before it takes commands.
    @Test func anAdapterThatIsNotReadyYetIsAskedAgain() async throws {
        let station = try await Station()
        await (try await station.central.discover()).stop()
        try await station.daemon.fail("StartDiscovery", "org.bluez.Error.NotReady", "Resource Not Ready", times: 2)
        await (try await station.central.discover()).stop()
        #expect(try await station.daemon.state().calls["StartDiscovery"] == 4)
        try await station.expectNothingLeft()
    }

    @Test func anAdapterThatStaysOffIsToldWhenTheDeadlinePasses() async throws {
        let station = try await Station()
        let discovery = try await station.central.discover()
        await discovery.stop()
        try await station.daemon.tell("power", ["on": false])
        let found = await code {
            _ = try await station.central.connect(to: Station.address, deadline: Station.clock.deadline(in: .milliseconds(500)))
        }
        #expect(found == "BLZ-0012")
    }

    @Test func aBusThatGoesAwayEndsLinks() async throws {
        let station = try await Station()
        let connection = try await station.connect()
        let discovery = try await station.central.discover()
        station.bus.end()
        try await connection.waitUntilGone(deadline: station.soon)
        let ended = await code { while try await discovery.sightings.next(before: station.soon, on: Station.clock) != nil {} }
        #expect(ended == "BLZ-0005")
        #expect(await code { try await connection.write([1], to: Station.receive, deadline: station.soon) } == "BLE-0001")
        #expect(await code { _ = try await station.central.discover() } == "BLZ-0001", "a new connection was tried")
    }

    @Test func malformedSignalsChangeNothing() async throws {
        let station = try await Station()
        let connection = try await station.connect()
        for body in ["changed-with-numbers", "changed-without-path", "wrong-types", "empty"] {
            try await station.daemon.tell("emit", ["body": body, "address": Station.address.description])
            try await station.daemon.tell("emit", ["body": body])
        }
        try await connection.write([1], to: Station.receive, deadline: station.soon)
        await connection.disconnect()
        try await station.expectNothingLeft()
    }

    @Test func surveyTellsWhatIsThere() async throws {
        let station = try await Station()
        let connection = try await station.connect()
        let survey = try await BlueZSurvey.take(bus: .at(station.bus.address), before: station.soon)
        #expect(survey.isBusReachable && survey.blockingError == nil)
        #expect(survey.daemonProcess == Int(station.daemon.identifier))
        let adapter = try #require(survey.adapters.first)
        #expect(
            adapter.object.kernelName == "hci0" && adapter.object.isPowered && adapter.object.address.description == "00:11:22:33:44:55")
        #expect(adapter.connectedDevices == [.init(address: Station.address, name: "monocle", mtu: connection.payloadSize + 3)])
        #expect(adapter.rememberedDevices == 0 && adapter.twins.isEmpty && adapter.object.usbPort == nil)
        await connection.disconnect()
        try await station.addUnit(["advertising": false])
        try await station.daemon.tell("know", ["address": "C0:FF:EE:00:00:02", "paired": true])
        let later = try await BlueZSurvey.take(bus: .at(station.bus.address), before: station.soon)
        #expect(later.adapters.first?.rememberedDevices == 1, "what is paired stays")
        station.daemon.end()
        let without = try await BlueZSurvey.take(bus: .at(station.bus.address), before: station.soon)
        #expect(without.isBusReachable && without.blockingError?.diagnosis.code == "BLZ-0006" && without.adapters.isEmpty)
    }

    @Test func radioSwitchesAreRead() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("noafw-rfkill-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        func add(_ entry: String, _ attributes: [String: String]) throws {
            let place = folder.appendingPathComponent(entry)
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            for (name, text) in attributes {
                try (text + "\n").write(to: place.appendingPathComponent(name), atomically: true, encoding: .utf8)
            }
        }
        try add("rfkill0", ["type": "wlan", "name": "phy0", "soft": "1", "hard": "1"])
        try add("rfkill1", ["type": "bluetooth", "name": "hci0", "soft": "1", "hard": "0"])
        try add("rfkill2", ["type": "bluetooth", "name": "hci1", "soft": "0", "hard": "0"])
        #expect(RadioSwitch.state(of: "hci0", in: folder.path) == .softBlocked)
        #expect(RadioSwitch.state(of: "hci1", in: folder.path) == .open)
        try add("rfkill3", ["type": "bluetooth", "name": "machine_bluetooth", "soft": "0", "hard": "1"])
        #expect(RadioSwitch.state(of: "hci1", in: folder.path) == .hardBlocked)
        #expect(RadioSwitch.all(in: folder.path).count == 3)
        #expect(RadioSwitch.all(in: "/nonexistent").isEmpty)
    }
}
