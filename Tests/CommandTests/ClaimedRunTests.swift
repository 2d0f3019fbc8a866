import Bluetooth
import Foundation
import Ledger
import MonocleFamily
import Provisioning
import Support
import TestSupport
import Testing
import VirtualDevices

@testable import noafw

/// The job on a unit that was claimed.
@Suite(.enabled(if: TestTools.mayRunMicroPython, "MicroPython is missing: run Tools/setup tests"), .serialized)
struct ClaimedRunTests {
    /// A claim that has run out by the first erase.
    private struct SpentClaim: UnitClaims, UnitClaim {
        var state: ClaimState? { .lost }
        var token: Int64? { 7 }
        var isHeld: Bool { false }
        var mayBeginErase: Bool { false }

        func claim(_ request: ClaimRequest) async throws(ClaimError) -> any UnitClaim { self }
        func beginErase() async throws(ClaimError) { throw .runsOut(unit: "U") }
        func release() async {}
    }

    @Test(arguments: [Component.firmware, .fpga]) func nothingIsErasedOnceTheClaimHasRunOut(component: Component) async throws {
        let folder = try TemporaryFolder()
        let files = try UnitFolder.monocle(root: folder.url.appendingPathComponent("unit"), name: "claimed")
        let air = VirtualAir(time: .simulated())
        let python = try TestTools.require(TestTools.python, "the Python of .venv")
        let monocle = try VirtualDevices.VirtualUnit.monocle(folder: files, configuration: UnitConfiguration(python: python), air: air)
        let flash = try? Data(contentsOf: files.root.appendingPathComponent("fpga-flash.bin"))

        let search = AssetSearch(given: TestTools.root.path, environment: [:], currentDirectory: "/", executable: nil)
        let inputs = AssetInputs(search: search, allowsDevelopment: true)
        let assets = try AssetLoader(family: .monocle, inputs: inputs, allowsDevelopment: true, notice: { _ in }).load([component])
        let ledger = FakeLedger()
        let run = UnitRun(
            stateFolder: folder.path, recorder: RunRecorder(RecordInputs(), ledger: ledger, claims: SpentClaim(), events: { _ in }),
            events: { _ in })
        let report = try await air.time.run {
            try await withVirtualUnit(monocle) {
                let unit = StationUnit(support: .monocle, central: VirtualCentral(air: air), address: monocle.address)
                var options = JobOptions()
                options.components = [component]
                return try await LiveServices().provision("flash", unit, with: assets, options, run)
            }
        }
        #expect(report.error?.code == "LED-0102", "\(report)")
        #expect((try? Data(contentsOf: files.root.appendingPathComponent("fpga-flash.bin"))) == flash)
        let record = try #require(ledger.records.first)
        #expect((record.outcome, record.code, record.claim, record.claimToken) == (.error, "LED-0102", .lost, 7))
    }
}
