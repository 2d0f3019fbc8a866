import Bluetooth
import Foundation
import Provisioning
import ScriptBundle
import TestSupport
import Testing
import VirtualDevices

@Suite(.enabled(if: TestTools.mayRunMicroPython, "MicroPython is missing: run Tools/setup tests"))
struct FlashTests {
    @Test func factoryNewUnitIsUpdatedWholeThenFoundCurrent() async throws {
        let bench = Bench()
        defer { bench.remove() }
        let assets = try Bench.assets()
        let journal = Journal()
        let first = try await bench.flash(assets) { journal.add($0) }
        #expect(first.error == nil, "\(String(describing: first.error)) \(journal.text)")
        #expect(first.steps.map(\.action) == [.updated, .updated, .updated])
        #expect(first.steps.map(\.from) == ["v23.100.0927", "v23.094.1109", nil])
        #expect(first.identity.firmware == Bench.firmwareVersion)
        #expect(first.identity.fpga == Bench.fpgaVersion)
        #expect(first.identity.scripts == assets.scripts?.version)
        let second = try await bench.flash(assets)
        #expect(second.steps.map(\.action) == [.current, .current, .current])
        let proof = try await bench.verify(assets)
        #expect(proof.passed)
    }
}
