/// Records as JUnit's XML: a suite for each station and day, a case for each run.
public enum JUnitExport {
    private struct Suite: Hashable {
        var station: String
        var day: String
    }

    /// - Parameter runs: open ones are left out.
    public static func text(_ runs: some Sequence<RunRecord>) -> String {
        let closed = runs.filter { !$0.isOpen }
        let suites = Dictionary(grouping: closed) { Suite(station: $0.station, day: $0.startedAt.day) }
        let ordered = suites.sorted { ($0.key.day, $0.key.station) < ($1.key.day, $1.key.station) }
        return JUnitText.document(
            ordered.map { suite, runs in
                JUnitText.Suite(
                    name: "\(suite.station) \(suite.day)", start: runs.map(\.startedAt).min(), host: runs.first?.host ?? "", cases: runs.map(testCase))
            })
    }

    private static func testCase(_ run: RunRecord) -> JUnitText.Case {
        let step = run.outcome == .pass ? run.verb : run.steps.last { $0.outcome != .pass }?.name ?? run.verb
        return JUnitText.Case(
            ["noafw", run.family, step], name: "\(run.serial ?? run.unitAddress) \(run.id.shortText)",
            milliseconds: run.elapsedMilliseconds ?? 0, result: result(run))
    }

    private static func result(_ run: RunRecord) -> JUnitText.Result {
        let code = run.code ?? "no code"
        let message = run.blame.map { "\(code), fault: \($0.rawValue)" } ?? code
        return switch run.outcome {
        case .fail: .failure(message: message, type: "fail")
        case .error: .error(message: message, type: "error")
        case .timeout: .error(message: message, type: "timeout")
        case .aborted: .skipped(message: message)
        case .pass, nil: .passed
        }
    }
}
