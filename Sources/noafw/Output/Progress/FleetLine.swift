import Provisioning
import Support

/// The lines of a fleet's run on a terminal of any width.
enum FleetLine {
    /// What a bar without a bar takes: stage and percent.
    private static let leastBar = 17
    private static let leastName = 8

    /// Columns for the names of units: all of the longest, if a bar still has room beside it.
    static func nameWidth(_ units: some Sequence<FleetUnit>, columns: Int) -> Int {
        let longest = units.map { DisplayWidth.columns(name($0)) }.max() ?? 0
        return min(longest, max(leastName, columns - leastBar - 2))
    }

    /// As the command line names it, and what people call it.
    static func name(_ unit: FleetUnit) -> String {
        let label = unit.address.flatMap { UnitLabels.known[$0] }.map { " (\($0))" } ?? ""
        return UntrustedText.escape(unit.id + label)
    }

    /// The end of a long name stays, which tells addresses apart.
    static func name(_ unit: FleetUnit, width: Int) -> String {
        let name = name(unit)
        let rest = DisplayWidth.suffix(name, columns: width)
        return rest + String(repeating: " ", count: max(0, width - DisplayWidth.columns(rest)))
    }

    static func bar(_ running: RunProgress.Running, nameWidth: Int, at now: Duration, columns: Int) -> String {
        let name = name(running.unit, width: nameWidth)
        return DisplayWidth.prefix(
            name + "  " + ProgressBar.line(running.model, at: now, columns: columns - nameWidth - 2), columns: columns - 1)
    }

    /// `7 of 20 done: 6 passed, 1 failed`
    static func foot(_ progress: RunProgress, columns: Int) -> String {
        let done = progress.ended.count
        let total = progress.total.map { " of \($0)" } ?? ""
        let counts = counts(progress.ended.map(\.result.verdict))
        return DisplayWidth.prefix("\(done)\(total) done" + (counts.isEmpty ? "" : ": \(counts)"), columns: columns - 1)
    }

    static func ended(_ ended: RunProgress.Ended, style: TextStyle) -> String {
        let verdict = style.paint("\(ended.result.verdict.word) \(ended.result.verdict.sign(style))", ended.result.verdict.tone)
        let error = ended.result.fault.map { "  \($0.code) \(UntrustedText.escape($0.message))" } ?? ""
        return "\(verdict)  \(name(ended.unit))  \(Format.seconds(ended.seconds)) s\(error)"
    }

    /// `17 passed, 2 failed`
    static func counts(_ verdicts: [FleetVerdict]) -> String {
        FleetVerdict.allCases.compactMap { verdict in
            let count = verdicts.count { $0 == verdict }
            return count == 0 ? nil : "\(count) \(verdict.counted)"
        }.joined(separator: ", ")
    }
}
