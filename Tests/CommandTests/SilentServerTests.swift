import Foundation
import TestSupport
import Testing

@testable import noafw

/// No wait for a server that hangs outlasts its command's limit.
@Suite struct SilentServerTests {
    @Test func sendingByHandEndsAtItsLimit() async throws {
        // Of the login alone libpq would wait 8 s.
        let (silent, folder, harness) = (try SilentServer(), try TemporaryFolder(), Harness())
        let arguments = ["ledger", "send", "--limit", "1", "--ledger", silent.address, "--station", "line-1", "--json"]
        let context = harness.context(arguments, environment: ["HOME": "/nonexistent", "NOAFW_STATE_DIR": folder.path])
        let took = await ContinuousClock().measure { #expect(await Noafw.execute(in: context) == 75) }
        #expect(took < .seconds(7), "\(took): \(harness.diagnostics)")
        #expect(try ToolBench.json(harness.output)["schema"] as? String == "noafw.ledger.send/1")
    }
}
