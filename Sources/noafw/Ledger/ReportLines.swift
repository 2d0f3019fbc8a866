import Ledger

enum ReportLines {
    static func lines(_ figures: RunFigures, _ style: TextStyle) -> [String] {
        guard figures.runs > 0 else { return ["no recorded run matches"] }
        let stations = figures.stations.map { [$0.name] + $0.yield.cells }
        let codes = figures.codeRows.isEmpty ? [] : table("code", ["runs", "added up"], figures.codeRows, style) + [""]
        return head(figures) + [""] + table("station", ["yield", "95 % interval", "passed", "of", "runs"], stations, style) + [""] + codes
            + table("stage", ["times", "P50", "P95", "longest"], figures.durationRows, style)
    }

    private static func head(_ figures: RunFigures) -> [String] {
        let excluded = figures.firstPass.excluded.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0.value) \($0.key.rawValue)" }
        let open = figures.openRuns > 0 ? ", \(figures.openRuns) not ended" : ""
        let firstPass = figures.firstPass.named.map { name, share in
            "\(UntrustedText.escape(name.lowercased()).padded(to: 16))  \(FigureText.percent(share.value))  n = \(share.total), 95 % "
                + "interval \(FigureText.interval(share))"
        }
        return ["runs              \(FigureText.count(figures.runs)), units: \(FigureText.count(figures.units))\(open)"] + firstPass + [
            "yield of all      \(FigureText.percent(figures.yield.share.value))  n = \(figures.yield.share.total)",
            "not counted       \(excluded.isEmpty ? "none" : "by fault of: \(excluded.joined(separator: ", "))")",
        ]
    }

    private static func table(_ name: String, _ numbers: [String], _ rows: [[String]], _ style: TextStyle) -> [String] {
        var table = TextTable([.init(name, keeping: .start)] + numbers.map { TextTable.Column($0, .right) })
        for row in rows { table.append([UntrustedText.escape(row[0])] + row.dropFirst()) }
        return table.lines(style: style) { _ in nil }
    }
}
