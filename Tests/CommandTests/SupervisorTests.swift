import Testing

@testable import noafw

/// What becomes of a run that its time limit ends.
@Suite struct SupervisorTests {
    private struct Report: Verdict {
        var passed: Bool
    }

    /// Its record may still be on its way to a server that hangs.
    @Test(arguments: [true, false]) func aUnitThatIsVerifiedWhenTheLimitIsOverHasPassed(passes: Bool) async {
        let harness = Harness(wakingUntil: .seconds(60))
        let supervisor = Supervisor(context: harness.context([]), timeoutSeconds: 3)
        let outcome = await supervisor.run {
            while !Task.isCancelled { await Task.yield() }
            return Report(passed: passes)
        }
        switch outcome {
        case .finished(let report): #expect(passes && report.passed)
        case .failed(let error): #expect(!passes && error is CommandError)
        case .interrupted: Issue.record("nobody interrupted it")
        }
    }
}
