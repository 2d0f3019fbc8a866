/// Records as JUnit's XML: a suite per station and day, a case per run. Open runs are left out.
enum JUnitExport {
    private struct Place: Hashable {
        var station: String
        var day: String
    }

    private struct Suite {
        var totals: JUnitText.Totals
        var part: RunPart

        init(_ first: RunRecord) {
            totals = JUnitText.Totals(name: "\(first.station) \(first.startedAt.day)", host: first.host)
            part = RunPart(station: first.station, first: first.startedAt, last: first.startedAt)
        }

        mutating func add(_ run: RunRecord) {
            (part.first, part.last) = (min(part.first, run.startedAt), max(part.last, run.startedAt))
            totals.start = part.first
            totals.add(testCase(run))
        }
    }

    /// Reads the records twice: for the heads' numbers, then suite by suite.
    static func write(_ source: some RunSource, _ filter: RunFilter, to write: (String) throws -> Void) throws -> Int {
        var suites: [Place: Suite] = [:]
        var count = 0
        try source.forEach(filter, of: nil) { run in
            count += 1
            guard !run.isOpen else { return }
            suites[Place(station: run.station, day: run.startedAt.day), default: Suite(run)].add(run)
        }
        try write(JUnitText.head)
        // All its runs began between its first and last.
        for (_, suite) in suites.sorted(by: { ($0.key.day, $0.key.station) < ($1.key.day, $1.key.station) }) {
            try write(JUnitText.begin(suite.totals))
            try source.forEach(filter, of: suite.part) { try write(JUnitText.text(testCase($0))) }
            try write(JUnitText.end)
        }
        try write(JUnitText.tail)
        return count
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
