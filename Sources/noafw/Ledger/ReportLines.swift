import Ledger

/// The figures of a report as lines.
enum ReportLines {
    static func lines(_ figures: RunFigures, _ style: TextStyle) -> [String] {
        guard figures.runs > 0 else { return ["no run is recorded that fits"] }
        return head(figures) + [""] + stations(figures, style) + codes(figures, style) + durations(figures, style)
    }

    private static func head(_ figures: RunFigures) -> [String] {
        let excluded = figures.firstPass.excluded.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0.value) \($0.key.rawValue)" }
        let open = figures.openRuns > 0 ? ", \(figures.openRuns) not ended" : ""
        let firstPass = figures.firstPass.named.map { name, share in
            "\(UntrustedText.escape(name.lowercased()).padded(to: 16))  \(FigureText.percent(share.value))  n = \(share.total), 95 % interval \(FigureText.interval(share))"
        }
        return ["runs              \(FigureText.count(figures.runs)), units: \(FigureText.count(figures.units))\(open)"] + firstPass + [
            "yield of all      \(FigureText.percent(figures.yield.share.value))  n = \(figures.yield.share.total)",
            "not counted       \(excluded.isEmpty ? "none" : "by fault of: \(excluded.joined(separator: ", "))")",
        ]
    }

    private static func stations(_ figures: RunFigures, _ style: TextStyle) -> [String] {
        var table = TextTable([.init("station", keeping: .start), .init("yield", .right), .init("95 % interval", .right), .init("passed", .right), .init("of", .right), .init("runs", .right)])
        for station in figures.stations {
            let share = station.yield.share
            table.append([
                UntrustedText.escape(station.name), FigureText.percent(share.value), FigureText.interval(share), FigureText.count(share.count),
                FigureText.count(share.total), FigureText.count(station.yield.runs),
            ])
        }
        return table.lines(style: style) { _ in nil } + [""]
    }

    private static func codes(_ figures: RunFigures, _ style: TextStyle) -> [String] {
        guard !figures.codes.bars.isEmpty else { return [] }
        var table = TextTable([.init("code", keeping: .start), .init("runs", .right), .init("added up", .right)])
        for bar in figures.codes.bars { table.append([UntrustedText.escape(bar.name), FigureText.count(bar.count), FigureText.percent(bar.cumulative)]) }
        return table.lines(style: style) { _ in nil } + [""]
    }

    private static func durations(_ figures: RunFigures, _ style: TextStyle) -> [String] {
        var table = TextTable([.init("stage", keeping: .start), .init("times", .right), .init("P50", .right), .init("P95", .right), .init("longest", .right)])
        for (name, durations) in figures.stages.map({ ($0.name, $0.durations) }) + [("whole run", figures.wholeRuns)] {
            table.append(
                [UntrustedText.escape(name), FigureText.count(durations.count)] + [durations.median, durations.p95, durations.longest].map(FigureText.seconds))
        }
        return table.lines(style: style) { _ in nil }
    }
}
