import Foundation
import Ledger
import LedgerServer
import Support
import TestSupport
import Testing

@testable import noafw

/// No wait for a server that hangs outlasts its command's limit.
@Suite struct SilentServerTests {
    @Test(arguments: ClaimPolicy.allCases) func aCancelledRunDoesNotWaitForIt(policy: ClaimPolicy) async throws {
        let silent = try SilentServer()
        var inputs = RecordBench()
        inputs.inputs.server = try StationServer(silent.address, station: "line-1", environment: ["HOME": "/nonexistent"])
        inputs.inputs.claimPolicy = policy
        let bench = inputs
        let run = Task {
            try await bench.run { _ in
                Issue.record("the unit was touched")
                return RecordBench.report()
            }
        }
        await silent.untilAsked()
        let took = await ContinuousClock().measure {
            run.cancel()
            await #expect(throws: CancellationError.self) { try await run.value }
        }
        #expect(took < .seconds(6), "\(took)")
        #expect(bench.ledger.records.isEmpty)
    }

    /// The command's limit is over while its records are on their way.
    @Test func theLastTryIsShortOnceItsCommandIsCancelled() async throws {
        struct Hanging: RunUploads {
            let begun = Inbox<Void>()
            func send(within limit: Duration) async -> UploadReport {
                begun.deliver(())
                try? await SessionClock.continuous.sleep(for: limit)
                return UploadReport()
            }
            func sendOnce(within limit: Duration) async -> UploadReport { await send(within: limit) }
        }
        let uploads = Hanging()
        let recorder = RunRecorder(RecordInputs(), ledger: FakeLedger(), uploads: uploads, events: { _ in })
        let end = Task { await recorder.finish() }
        _ = try await uploads.begun.next(before: SessionClock.continuous.deadline(in: .seconds(60)), on: .continuous)
        let took = await ContinuousClock().measure {
            end.cancel()
            await end.value
        }
        #expect(took < .seconds(6), "\(took)")
    }

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
