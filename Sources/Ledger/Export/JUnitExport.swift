/// Records as JUnit's XML, in the part that Jenkins and GitLab both read, and that junit-10.xsd of Jenkins' xUnit plugin allows: a suite
/// for each station and day, a case for each run.
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
        let texts = ordered.map { suite($0.key, $0.value) }
        return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n\(texts.joined())</testsuites>\n"
    }

    private static func suite(_ suite: Suite, _ runs: [RunRecord]) -> String {
        func count(_ outcomes: RunOutcome...) -> Int { runs.count { run in run.outcome.map(outcomes.contains) ?? false } }
        let attributes = [
            ("name", "\(suite.station) \(suite.day)"), ("tests", "\(runs.count)"), ("failures", "\(count(.fail))"),
            ("errors", "\(count(.error, .timeout))"), ("skipped", "\(count(.aborted))"), ("time", seconds(runs.reduce(0) { $0 + elapsed($1) })),
            ("timestamp", runs.map(\.startedAt).min().map { String($0.iso8601.prefix(19)) } ?? ""), ("hostname", runs.first?.host ?? ""),
        ]
        return "  <testsuite\(text(attributes))>\n\(runs.map(testCase).joined())  </testsuite>\n"
    }

    private static func testCase(_ run: RunRecord) -> String {
        // Dots divide packages.
        let step = run.outcome == .pass ? run.verb : run.steps.last { $0.outcome != .pass }?.name ?? run.verb
        let className = ["noafw", run.family, step].map { $0.replacing(".", with: "_") }.joined(separator: ".")
        let attributes = [("classname", className), ("name", "\(run.serial ?? run.unitAddress) \(run.id.shortText)"), ("time", seconds(elapsed(run)))]
        guard let element = element(run.outcome) else { return "    <testcase\(text(attributes))/>\n" }
        let code = run.code ?? "no code"
        let message = run.blame.map { "\(code), fault: \($0.rawValue)" } ?? code
        let verdict = text([("message", message)] + (element == "skipped" ? [] : [("type", run.outcome?.rawValue ?? "")]))
        return "    <testcase\(text(attributes))>\n      <\(element)\(verdict)/>\n    </testcase>\n"
    }

    private static func element(_ outcome: RunOutcome?) -> String? {
        switch outcome {
        case .fail: "failure"
        case .error, .timeout: "error"
        case .aborted: "skipped"
        case .pass, nil: nil
        }
    }

    /// At most a year, so that no sum overflows.
    private static func elapsed(_ run: RunRecord) -> Int64 { min(max(0, run.elapsedMilliseconds ?? 0), 31_536_000_000) }

    /// With a point and three digits: an exponent is refused.
    private static func seconds(_ milliseconds: Int64) -> String {
        let rest = "\(milliseconds % 1000)"
        return "\(milliseconds / 1000)." + String(repeating: "0", count: 3 - rest.count) + rest
    }

    private static func text(_ attributes: [(String, String)]) -> String {
        attributes.map { " \($0.0)=\"\(XMLText.attribute($0.1))\"" }.joined()
    }
}
