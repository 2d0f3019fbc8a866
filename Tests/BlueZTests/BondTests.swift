import Bluetooth
import Foundation
import Support
import TestSupport
import Testing

@testable import BlueZ

/// Bonds with a unit that asks for one as soon as it is connected, and keeps one alone.
@Suite(
    .serialized, .enabled(if: TestTools.mayRunDBus, "D-Bus or its Python library is missing: run Tools/setup tests"),
    .timeLimit(.minutes(3)))
struct BondTests {
    private static var frame: [String: Any] { ["wants_bond": true, "name": "Frame C0"] }

    private func calls(_ station: Station, _ member: String) async throws -> Int { try await station.daemon.state().calls[member] ?? 0 }

    /// Of ``BondTests/frame``, whose agent would be the desktop's if `Connect` came first.
    @Test(arguments: [false, true])
    func aFirstLinkMakesTheBondAndTheNextOnesUseIt(withDesktop: Bool) async throws {
        let station = try await Station(unit: Self.frame)
        if withDesktop { try await station.daemon.tell("desktop") }
        let first = try await station.bond()
        #expect(first.isNewlyBonded)
        #expect(first.payloadSize == 244)
        try await first.write([3], to: Station.receive, deadline: station.soon)
        await first.disconnect()
        try await station.daemon.until("agents", equals: withDesktop ? 1 : 0)
        try await station.daemon.until("pairable", equals: withDesktop ? 1 : 0)
        let second = try await station.bond()
        #expect(!second.isNewlyBonded)
        #expect(try await calls(station, "Pair") == 1)
        #expect(try await calls(station, "Connect") == 1)
        await second.disconnect()
        #expect(station.notices.all.isEmpty)
        if !withDesktop { try await station.expectNothingLeft() }
    }

    @Test func bluetoothdsQuestionIsAnswered() async throws {
        let station = try await Station(unit: ["asks_agent": true])
        let connection = try await station.bond()
        #expect(connection.isNewlyBonded)
        await connection.disconnect()
        try await station.expectNothingLeft()
    }

    /// bluetoothd leaves it unanswered when the bond came by the unit's own request meanwhile; the device's properties say it.
    @Test(arguments: ["hang", "org.bluez.Error.AlreadyExists", "org.bluez.Error.InProgress"])
    func theDevicesPropertiesProveTheBond(answer: String) async throws {
        let station = try await Station(unit: Self.frame)
        if answer == "hang" { try await station.daemon.hang("Pair") } else { try await station.daemon.fail("Pair", answer) }
        async let bonding = station.bond()
        try await station.daemon.until(calls: "Pair")
        try await station.daemon.tell("connect", ["address": Station.address.description])
        let connection = try await bonding
        #expect(connection.isNewlyBonded)
        await connection.disconnect()
        try await station.expectNothingLeft()
    }

    @Test func aStrangerIsRefusedAfterTwoAttempts() async throws {
        let station = try await Station(unit: Self.frame.merging(["bond": "another"]) { $1 })
        let error = await #expect(throws: LinkError.self) { _ = try await station.bond() }
        guard case .pairingRefused(Station.address, _) = error else { Issue.record("\(String(describing: error))"); return }
        #expect(try await calls(station, "Pair") == 2)
        #expect(try await calls(station, "RemoveDevice") == 0)
        try await station.expectNothingLeft()
    }

    @Test func aHostThatLostItsKeyIsAStranger() async throws {
        let station = try await Station(unit: Self.frame)
        await (try await station.bond()).disconnect()
        #expect(try await station.central.forgetBond(with: Station.address, deadline: station.soon))
        let error = await #expect(throws: LinkError.self) { _ = try await station.bond() }
        guard case .pairingRefused = error else { Issue.record("\(String(describing: error))"); return }
        #expect(try await !station.central.forgetBond(with: Station.address, deadline: station.soon))
        try await station.expectNothingLeft()
    }

    /// Two links in a row that end at once, then the record goes and a new pairing makes the bond anew: once.
    @Test func aUnitThatLostItsBondIsPairedAnew() async throws {
        let station = try await Station(unit: Self.frame)
        await (try await station.bond()).disconnect()
        try await station.daemon.tell("bond", ["address": Station.address.description])
        let connection = try await station.bond()
        #expect(connection.isNewlyBonded)
        #expect(try await calls(station, "Connect") == 2)
        #expect(try await calls(station, "RemoveDevice") == 1)
        #expect(station.notices.all == [BondRecovery.notice(of: Station.address)])
        await connection.disconnect()
        try await station.expectNothingLeft()
    }

    @Test func aUnitThatServesAnotherHostNowIsRefusedWithTheCradlesRemedy() async throws {
        let station = try await Station(unit: Self.frame)
        await (try await station.bond()).disconnect()
        try await station.daemon.tell("bond", ["address": Station.address.description, "to": "another"])
        let error = await #expect(throws: LinkError.self) { _ = try await station.bond() }
        guard case .pairingRefused = error else { Issue.record("\(String(describing: error))"); return }
        #expect(error?.diagnosis.remedy.contains("cradle") == true)
        #expect(try await calls(station, "RemoveDevice") == 1)
        try await station.expectNothingLeft()
    }

    /// One link that ends at once is the air's: the key is kept.
    @Test func aLinkLostOnceKeepsTheKey() async throws {
        let station = try await Station(unit: Self.frame)
        await (try await station.bond()).disconnect()
        try await station.daemon.tell("lose", ["address": Station.address.description, "links": 1])
        let connection = try await station.bond()
        #expect(!connection.isNewlyBonded)
        #expect(try await calls(station, "Connect") == 2)
        #expect(try await calls(station, "RemoveDevice") == 0)
        await connection.disconnect()
        try await station.expectNothingLeft()
    }

    /// The record holds the key: a table that lacks something is no reason to remove it.
    @Test func aStaleTableCostsNoKey() async throws {
        let station = try await Station(unit: Self.frame)
        let connection = try await station.bond()
        let missing = AttributeID("fe59")
        await #expect(throws: LinkError.characteristicMissing(missing)) {
            try await connection.write([1], to: missing, deadline: station.soon)
        }
        #expect(try await calls(station, "RemoveDevice") == 0)
        await connection.disconnect()
        try await station.expectNothingLeft()
    }

    @Test func anAdapterThatIsNotPairableIsMadeSoForTheTime() async throws {
        let station = try await Station(unit: Self.frame, adapter: ["pairable": false])
        let connection = try await station.bond()
        #expect(connection.isNewlyBonded)
        try await station.daemon.until("pairable", equals: 0)
        #expect(try await calls(station, "Set") == 2)
        await connection.disconnect()
        try await station.expectNothingLeft()
        #expect(station.notices.all.isEmpty)
    }

    @Test func anAdapterThatStaysPairableIsTold() async throws {
        let station = try await Station(unit: Self.frame, adapter: ["pairable": false])
        try await station.daemon.hold("Set")
        async let bonding = station.bond()
        try await station.daemon.until(calls: "Set")
        try await station.daemon.fail("Set", "org.bluez.Error.Failed")
        try await station.daemon.tell("answer")
        await (try await bonding).disconnect()
        #expect(station.notices.all.first?.contains("bluetoothctl pairable off") == true)
    }

    @Test func anAdapterThatCannotBeMadePairableMakesNoBond() async throws {
        let station = try await Station(unit: Self.frame, adapter: ["pairable": false, "pairable_fixed": true])
        await #expect(throws: BlueZError.adapterNotPairable("hci0")) { _ = try await station.bond() }
        #expect(try await calls(station, "Pair") == 0)
        try await station.expectNothingLeft()
    }
}
