import Bluetooth
import Foundation
import Support
import TestSupport
import Testing

@testable import BlueZ

/// One link too many, in each firmware's own words; and attempts whose client is gone.
@Suite(
    .serialized, .enabled(if: TestTools.mayRunDBus, "D-Bus or its Python library is missing: run Tools/setup tests"),
    .timeLimit(.minutes(3)))
struct FullAdapterTests {
    struct Refusal: Sendable {
        var name = "org.bluez.Error.Failed"
        var text: String
        /// How often it has to happen until it is believed.
        var count = 2
    }

    private static let refusals = [
        Refusal(text: "le-connection-concurrent-connection-limit", count: 1), Refusal(text: "le-connection-refused"),
        Refusal(text: "le-connection-busy"), Refusal(text: "le-connection-memory-allocation"),
        Refusal(text: "le-connection-link-layer-protocol-error"),
        Refusal(name: "org.freedesktop.DBus.Error.UnknownObject", text: ""),
        Refusal(
            name: "org.freedesktop.DBus.Error.UnknownMethod",
            text: "Method \"Connect\" with signature \"\" on interface \"org.bluez.Device1\" doesn't exist")
    ]

    @Test(arguments: refusals) func besideAnotherLinkItIsTheAdapter(refusal: Refusal) async throws {
        let station = try await Station()
        try await station.daemon.tell("foreign_link", ["address": "C0:FF:EE:00:00:77"])
        try await station.daemon.fail("Connect", refusal.name, refusal.text, times: 5)
        do {
            await (try await station.connect()).disconnect()
            Issue.record("\(refusal.text): no error")
        } catch let error as LinkError {
            guard case .adapterFull = error else { Issue.record("\(refusal.text): \(error)"); return }
            #expect(error.diagnosis.fault == .radio && error.obstacle == .link)
        }
        #expect(try await station.daemon.state().calls["Connect"] == refusal.count)
        try await station.daemon.tell("clear_faults")
        await (try await station.connect()).disconnect()
        try await station.expectNothingLeft(isConnected: 1, links: 0)
    }

    @Test(arguments: refusals) func withoutAnotherLinkItIsAnOrdinaryFailure(refusal: Refusal) async throws {
        let station = try await Station()
        try await station.daemon.fail("Connect", refusal.name, refusal.text, times: 3)
        await (try await station.connect()).disconnect()
        #expect(try await station.daemon.state().calls["Connect"] == 4)
        try await station.expectNothingLeft()
    }

    /// A link of this central counts as well as another program's.
    @Test func itsOwnLinksCount() async throws {
        let station = try await Station()
        let other = DeviceAddress("C0:FF:EE:00:00:02")!
        try await station.addUnit(["address": other.description])
        let connection = try await station.connect()
        try await station.daemon.fail("Connect", "org.bluez.Error.Failed", "le-connection-refused", times: 2)
        await #expect(throws: LinkError.adapterFull(BlueZError.attemptRefused.diagnosis.message)) {
            _ = try await station.central.connect(to: other, deadline: station.soon)
        }
        try await connection.write([1], to: Station.receive, deadline: station.soon)
        await connection.disconnect()
        try await station.expectNothingLeft()
    }

    /// Links of another adapter say nothing of this one.
    @Test func anotherAdaptersLinksDoNotCount() async throws {
        let station = try await Station()
        try await station.daemon.tell("adapter", ["name": "hci1", "address": "00:11:22:33:44:66"])
        try await station.daemon.tell("foreign_link", ["address": "C0:FF:EE:00:00:77", "adapter": "hci1"])
        try await station.daemon.fail("Connect", "org.bluez.Error.Failed", "le-connection-refused", times: 3)
        await (try await station.connect()).disconnect()
        #expect(try await station.daemon.state().calls["Connect"] == 4)
    }

    @Test func anAttemptWhoseClientDiedIsEnded() async throws {
        let station = try await Station(unit: ["advertising": false])
        try await station.daemon.tell("foreign_connect", ["address": Station.address.description])
        async let connecting = station.connect()
        try await station.daemon.until(calls: "Disconnect")
        try await station.daemon.until("pendingConnects", equals: 1)
        try await station.addUnit()
        await (try await connecting).disconnect()
        #expect(try await station.daemon.state().removed.isEmpty, "a Disconnect was enough")
        try await station.expectNothingLeft()
    }

    @Test func anAttemptThatOutlivesItsEndIsRemovedWithItsDeviceOnce() async throws {
        let station = try await Station()
        try await station.daemon.tell("foreign_connect", ["address": Station.address.description, "stuck": true])
        await (try await station.connect()).disconnect()
        #expect(try await station.daemon.state().removed.count == 1)
        try await station.expectNothingLeft()
    }

    /// With the record its key would go, and a unit that keeps one bond takes no other.
    @Test func aBondedDeviceIsNeverRemovedForIt() async throws {
        let station = try await Station(unit: ["wants_bond": true, "bond": "host"])
        try await station.daemon.tell("know", ["address": Station.address.description, "paired": true])
        try await station.daemon.fail("Connect", "org.bluez.Error.InProgress", "Operation already in progress", times: 6)
        await (try await station.bond()).disconnect()
        let state = try await station.daemon.state()
        #expect(state.removed.isEmpty && state.calls["Connect"] == 7)
        try await station.expectNothingLeft()
    }
}
