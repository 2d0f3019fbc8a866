import Provisioning
import Support

/// What every fleet's summary has: a table by unit, the errors by their codes, and one line that counts.
enum FleetSummary {
    /// What is left out where a line has no room, the least telling first.
    private enum Column: CaseIterable { case family, seconds, code }

    static func table<Report>(_ report: FleetReport<Report>, style: TextStyle, columns: Int?) -> [String] {
        guard !report.entries.isEmpty else { return [] }
        var left = Set<Column>()
        var lines = table(report, leaving: left, style: style, columns: columns)
        for column in Column.allCases where !fits(lines, columns) {
            left.insert(column)
            lines = table(report, leaving: left, style: style, columns: columns)
        }
        return lines
    }

    private static func fits(_ lines: [String], _ columns: Int?) -> Bool {
        guard let columns else { return true }
        return lines.allSatisfy { width($0) < columns }
    }

    /// Of a line with colours.
    static func width(_ line: String) -> Int { DisplayWidth.columns(line.replacing(/\u{1B}\[[0-9;]*m/, with: "")) }

    private static func table<Report>(
        _ report: FleetReport<Report>, leaving left: Set<Column>, style: TextStyle, columns: Int?
    ) -> [String] {
        let verdicts = report.entries.map { "\($0.verdict.word) \($0.verdict.sign(style))" }
        let verdictWidth = (verdicts + ["verdict"]).map { DisplayWidth.columns($0) }.max() ?? 0
        let names = left.count < Column.allCases.count ? Int.max : max(8, (columns ?? .max) - verdictWidth - 3)
        var table = TextTable(
            [.init("unit")] + (left.contains(.family) ? [] : [.init("family")]) + [.init("verdict")]
                + (left.contains(.code) ? [] : [.init("code")]) + (left.contains(.seconds) ? [] : [.init("seconds", .right)]))
        for (entry, verdict) in zip(report.entries, verdicts) {
            let name = FleetLine.name(entry.unit)
            table.append(
                [names == .max ? name : DisplayWidth.suffix(name, columns: names)]
                    + (left.contains(.family) ? [] : [entry.unit.family?.rawValue ?? "-"]) + [verdict]
                    + (left.contains(.code) ? [] : [entry.error?.code ?? "-"])
                    + (left.contains(.seconds) ? [] : [entry.seconds > 0 ? Format.seconds(entry.seconds) : "-"]))
        }
        return table.lines(style: style) { report.entries[$0].verdict.tone }
    }

    /// Each code once, with what to do; its first unit's words.
    static func errors<Report>(_ report: FleetReport<Report>, style: TextStyle) -> [String] {
        var codes: [String] = []
        var firsts: [String: Diagnosis] = [:]
        var counts: [String: Int] = [:]
        for error in report.entries.compactMap(\.error) {
            if firsts.updateValue(firsts[error.code] ?? error, forKey: error.code) == nil { codes.append(error.code) }
            counts[error.code, default: 0] += 1
        }
        return codes.flatMap { code -> [String] in
            guard let error = firsts[code], let count = counts[code] else { return [] }
            return [
                "\(style.paint(code, .bad)), \(count) \(count == 1 ? "unit" : "units"): \(UntrustedText.escape(error.message))",
                "  next:  \(UntrustedText.escape(error.remedy, limit: UntrustedText.commandLimit))",
            ]
        }
    }

    /// `FAIL ✘  20 units: 17 passed, 2 failed, 1 not reached (62.3 s)`
    static func verdict<Report>(_ result: FleetRunResult<Report>, style: TextStyle) -> String {
        let entries = result.report.entries
        let (word, sign, tone) = word(result, style)
        let counts = FleetLine.counts(entries.map(\.verdict))
        let units = entries.isEmpty ? "no unit was touched" : "\(entries.count) \(entries.count == 1 ? "unit" : "units"): \(counts)"
        return "\(style.paint("\(word) \(sign)", tone))  \(units) (\(Format.seconds(result.seconds)) s)"
    }

    private static func word<Report>(_ result: FleetRunResult<Report>, _ style: TextStyle) -> (String, String, TextStyle.Tone) {
        func plain(_ verdict: FleetVerdict) -> (String, String, TextStyle.Tone) { (verdict.word, verdict.sign(style), verdict.tone) }
        if result.passed { return plain(.pass) }
        if result.isInterrupted { return plain(.interrupted) }
        if result.report.entries.contains(where: { $0.verdict == .fail }) { return plain(.fail) }
        return result.report.entries.isEmpty ? plain(.notStarted) : ("INCOMPLETE", "?", .careful)
    }

    /// What the documents of `flash` and `verify` say of a fleet, beside its units.
    static func document<Report>(_ result: FleetRunResult<Report>) -> JSONText {
        let verdicts = result.report.entries.map(\.verdict)
        let counts = FleetVerdict.allCases.map { verdict in (verdict.rawValue, JSONText.integer(verdicts.count { $0 == verdict })) }
        return .object([
            ("units", .integer(verdicts.count)), ("counts", .object(counts)), ("stop", result.report.stop.map(ReportText.document) ?? .null),
            ("interrupted", .bool(result.isInterrupted)), ("seconds", .number(result.seconds)),
            ("error", result.error.map(ReportText.document) ?? .null),
        ])
    }

    /// What is said of a unit of a fleet beside what a single one has.
    static func members<Report>(_ entry: FleetEntry<Report>) -> [(key: String, value: JSONText)] {
        [("outcome", .string(entry.verdict.rawValue)), ("seconds", .number(entry.seconds)), ("adapter", .optional(entry.adapter))]
    }
}
