import Bluetooth
import Support
import TestSupport
import Testing

@testable import BlueZ

/// A match rule names a sender, but any client of the bus may send a signal or a call straight to this process: bluetoothd's own
/// name on the bus alone is believed.
@Suite(
    .serialized, .enabled(if: TestTools.mayRunDBus, "D-Bus or its Python library is missing: run Tools/setup tests"),
    .timeLimit(.minutes(3)))
struct ForgedSignalTests {
    private static let invented = DeviceAddress("C0:FF:EE:00:00:66")!

    private func forge(at station: Station) async throws {
        try await station.daemon.tell("forge", ["address": Station.address.description, "invented": Self.invented.description])
    }

    @Test func aStrangerNeitherEndsALinkNorInventsAUnit() async throws {
        let station = try await Station()
        let connection = try await station.connect()
        let discovery = try await station.central.discover()
        try await forge(at: station)
        // What the bus passed on before is read before the answer to this.
        try await connection.write([1], to: Station.receive, deadline: station.soon)
        while let sighting = discovery.sightings.poll() { #expect(sighting.address != Self.invented) }
        #expect(try await station.central.foreignConnections(before: station.soon).isEmpty)
        await discovery.stop()
        await connection.disconnect()
        try await station.expectNothingLeft()
    }

    /// A stranger is refused by the agent, too, while a unit is being paired.
    @Test func aStrangerConfirmsNoPairing() async throws {
        let station = try await Station(unit: ["wants_bond": true, "name": "Frame C0"])
        try await station.daemon.hold("Pair")
        async let bonding = station.bond()
        try await station.daemon.until(calls: "Pair")
        try await forge(at: station)
        try await station.daemon.answerHeld()
        let connection = try await bonding
        #expect(connection.isNewlyBonded)
        await connection.disconnect()
        try await station.expectNothingLeft()
    }
}
