import Bluetooth
import Foundation
import FrameFamily
import MonocleFamily
import Provisioning
import Support
import TestSupport
import Testing

@testable import noafw

/// `noafw pair` and `noafw unpair`: what they ask for, what they say, how they end.
@Suite struct PairTests {
    private static let address = DeviceAddress("C6:05:04:03:02:01")!

    private func report(_ outcome: BondReport.Outcome) -> BondReport {
        BondReport(family: .frame, address: Self.address, outcome: outcome)
    }

    private func document(_ harness: Harness) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(harness.output.utf8)) as? [String: Any])
    }

    @Test(arguments: [(BondReport.Outcome.made, "bonded now"), (.kept, "bonded before")])
    func pairSaysWhetherTheBondWasMadeNow(outcome: BondReport.Outcome, words: String) async {
        let harness = Harness()
        let services = FakeServices(onPair: { request in
            #expect(request.unit == UnitSelection(units: .one(.address(Self.address))))
            request.notice("its record was removed")
            return report(outcome)
        })
        let code = await Noafw.execute(in: harness.context(["pair", "--device", "\(Self.address)"], services: services))
        #expect(code == 0)
        #expect(harness.output == "PASS  frame \(Self.address): \(words); it accepts writes over the encrypted link\n")
        #expect(harness.diagnostics == "note: its record was removed\n")
    }

    @Test func pairPrintsOneDocument() async throws {
        let harness = Harness()
        let services = FakeServices(onPair: { _ in report(.made) })
        #expect(await Noafw.execute(in: harness.context(["pair", "--json"], services: services)) == 0)
        let document = try document(harness)
        #expect(document["schema"] as? String == "noafw.pair/1")
        #expect(document["bond"] as? String == "made")
        #expect(document["address"] as? String == "\(Self.address)")
        #expect(document["verdict"] as? String == "pass")
    }

    @Test func aRefusalNamesTheCradle() async throws {
        let harness = Harness()
        let services = FakeServices(onPair: { _ in throw LinkError.pairingRefused(Self.address, reason: "reason 0x3") })
        #expect(await Noafw.execute(in: harness.context(["pair", "--json"], services: services)) == 1)
        let error = try #require(try document(harness)["error"] as? [String: Any])
        #expect(error["code"] as? String == "BLE-0011")
        #expect(harness.diagnostics.contains("cradle"))
    }

    @Test func unpairTellsWhatTheUnitKeeps() async {
        let harness = Harness()
        let services = FakeServices(onUnpair: { request in
            #expect(request.unit == .radio(Self.address, adapter: "hci1"))
            return report(.removed)
        })
        let words = ["unpair", "--device", "\(Self.address)", "--adapter", "hci1"]
        #expect(await Noafw.execute(in: harness.context(words, services: services)) == 0)
        #expect(harness.output.hasPrefix("PASS  frame \(Self.address): this host's record of the bond is removed\n"))
        #expect(harness.output.contains(LinkError.pairingReset))
    }

    @Test(arguments: [
        ["pair", "--timeout", "0"], ["unpair", "--device", "Frame"], ["unpair", "--virtual", "monocle", "--device", "C6:05:04:03:02:01"]
    ])
    func wrongWordsAreUsageErrors(words: [String]) async {
        #expect(await Noafw.execute(in: Harness().context(words)) == 64)
    }

    @Test func aMonocleMakesNoBonds() async throws {
        let folder = try TemporaryFolder()
        let request = UnpairRequest(
            unit: .virtual(try VirtualUnitName(argument: "monocle")),
            search: Harness().context([]).assetSearch(nil), stateFolder: folder.url.path)
        await #expect(throws: BondError.noBonds(.monocle)) { _ = try await LiveServices().unpair(request) }
    }

    @Test func unpairDoesNotGuess() async throws {
        let folder = try TemporaryFolder()
        let known = KnownUnits(stateFolder: folder.url.path)
        let request = UnpairRequest(
            unit: .known(adapter: nil), search: Harness().context([]).assetSearch(nil), stateFolder: folder.url.path)
        try await known.record(.monocle, try #require(DeviceAddress("D3:5A:00:11:22:33")))
        await #expect(throws: BondError.notNamed([])) { _ = try await LiveServices().unpair(request) }
        let frames = [Self.address, try #require(DeviceAddress("C7:05:04:03:02:01"))]
        for address in frames { try await known.record(.frame, address) }
        await #expect(throws: BondError.notNamed(frames)) { _ = try await LiveServices().unpair(request) }
    }
}
