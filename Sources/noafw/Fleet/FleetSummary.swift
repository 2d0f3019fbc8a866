import Provisioning
import Support

/// What every fleet's summary has: a table by unit, the errors by their codes, and one line that counts.
enum FleetSummary {
    static func table<Report: RecordedReport>(_ report: FleetReport<Report>, style: TextStyle) -> [String] {
        guard !report.entries.isEmpty else { return [] }
        // The end of a long name tells units apart.
        var table = TextTable([
            .init("unit", keeping: .end), .init("family", leftOut: 1), .init("verdict"), .init("code", leftOut: 3),
            .init("seconds", .right, leftOut: 2)
        ])
        for entry in report.entries {
            table.append([
                FleetLine.name(entry.unit), entry.unit.family?.rawValue ?? "-", "\(entry.verdict.word) \(entry.verdict.sign(style))",
                entry.error?.code ?? "-", entry.seconds > 0 ? Format.seconds(entry.seconds) : "-",
            ])
        }
        return table.lines(style: style) { report.entries[$0].verdict.tone }
    }

    /// Each code once, with what to do; its first unit's words.
    static func errors<Report: RecordedReport>(_ report: FleetReport<Report>, style: TextStyle) -> [String] {
        var codes: [String] = []
        var firsts: [String: Diagnosis] = [:]
        var counts: [String: Int] = [:]
        for error in report.entries.compactMap(\.error) {
            if firsts.updateValue(firsts[error.code] ?? error, forKey: error.code) == nil { codes.append(error.code) }
            counts[error.code, default: 0] += 1
        }
        return codes.flatMap { code -> [String] in
            guard let error = firsts[code], let count = counts[code] else { return [] }
            let message = UntrustedText.escape(UnitLabels.labelled(error.message))
            return [
                "\(style.paint(code, .bad)), \(count) \(count == 1 ? "unit" : "units"): \(message)",
                "  next:  \(UntrustedText.escape(error.remedy, limit: UntrustedText.commandLimit))",
            ]
        }
    }

    /// `FAIL ✘  20 units: 17 passed, 2 failed, 1 not reached (62.3 s)`
    static func verdict<Report: RecordedReport>(_ result: FleetRunResult<Report>, style: TextStyle) -> String {
        let entries = result.report.entries
        let (word, sign, tone) = word(result, style)
        let counts = FleetLine.counts(entries.map(\.verdict))
        let units = entries.isEmpty ? "no unit was touched" : "\(entries.count) \(entries.count == 1 ? "unit" : "units"): \(counts)"
        return "\(style.paint("\(word) \(sign)", tone))  \(units) (\(Format.seconds(result.seconds)) s)"
    }

    private static func word<Report: RecordedReport>(
        _ result: FleetRunResult<Report>, _ style: TextStyle
    ) -> (String, String, TextStyle.Tone) {
        func plain(_ verdict: FleetVerdict) -> (String, String, TextStyle.Tone) { (verdict.word, verdict.sign(style), verdict.tone) }
        if result.passed { return plain(.pass) }
        if result.isInterrupted { return plain(.interrupted) }
        if result.report.entries.contains(where: { $0.verdict == .fail }) { return plain(.fail) }
        return result.report.entries.isEmpty ? plain(.notStarted) : ("INCOMPLETE", "?", .careful)
    }
}
