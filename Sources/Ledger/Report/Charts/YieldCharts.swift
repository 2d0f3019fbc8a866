/// Yields as dots with the interval that holds the true share in 95 of 100 cases.
enum YieldCharts {
    /// The scale begins here or at a rounder figure below all intervals' dots: most yields lie near the top.
    private static func floor(_ yields: [RunFigures.NamedYield]) -> Double {
        let lowest = yields.compactMap { $0.yield.share.value == nil ? nil : $0.yield.share.interval.lowerBound }.min() ?? 0
        return [0.9, 0.8, 0.5].first { $0 <= lowest } ?? 0
    }

    private static func words(_ yields: [RunFigures.NamedYield]) -> String {
        let values = yields.filter { $0.yield.share.total > 0 }
        guard let worst = values.min(by: { ($0.yield.share.value ?? 1) < ($1.yield.share.value ?? 1) }),
            let best = values.max(by: { ($0.yield.share.value ?? 0) < ($1.yield.share.value ?? 0) })
        else { return "No run tells of a unit." }
        return "From \(FigureText.percent(worst.yield.share.value)) (\(worst.name)) to \(FigureText.percent(best.yield.share.value)) (\(best.name))."
    }

    /// - Parameter days: at most ``dayLimit``.
    static func days(_ days: [RunFigures.NamedYield], id: String) -> Chart {
        let (left, right, top, bottom) = (46.0, 12.0, 14.0, 210.0)
        var chart = Chart(id: id, title: "Yield by day", description: words(days) + " Bars stand for the number of runs.", height: 284)
        let low = floor(days)
        let step = (Chart.width - left - right) / Double(max(days.count, 1))
        let y = { (share: Double) in bottom - (share - low) / (1 - low) * (bottom - top) }
        for part in [0.0, 0.5, 1] {
            let share = low + part * (1 - low)
            chart.line(left, y(share), Chart.width - right, y(share), style: "grid")
            chart.text("\(FigureText.decimal(share * 100, 0)) %", left - 8, y(share) + 4, anchor: .end)
        }
        let most = Double(days.map(\.yield.runs).max() ?? 1)
        let places = days.indices.map { left + (Double($0) + 0.5) * step }
        for (x, day) in zip(places, days) {
            let height = Double(day.yield.runs) / max(most, 1) * 34
            chart.rectangle(x - min(step, 26) * 0.36, bottom + 40 - height + 8, min(step, 26) * 0.72, height, style: "quiet")
        }
        let dots = zip(places, days).compactMap { x, day in day.yield.share.value.map { (x, y($0)) } }
        chart.path(dots, style: "trend")
        for (x, day) in zip(places, days) { dot(day.yield.share, x, y, &chart) }
        let every = max(1, Int((Double(days.count) / 8).rounded(.up)))
        for (index, day) in days.enumerated() where index % every == 0 {
            chart.text(String(day.name.suffix(5)), places[index], bottom + 66, anchor: .middle)
        }
        chart.text("runs", left - 8, bottom + 46, anchor: .end)
        return chart
    }

    private static func dot(_ share: Share, _ x: Double, _ y: (Double) -> Double, _ chart: inout Chart) {
        guard let value = share.value else { return }
        chart.line(x, y(max(share.interval.lowerBound, 0)), x, y(share.interval.upperBound), style: "whisker")
        chart.circle(x, y(value), 4, style: "dot")
    }

    static func stations(_ stations: [RunFigures.NamedYield], id: String) -> Chart {
        let (left, right, row) = (150.0, 110.0, 26.0)
        var chart = Chart(id: id, title: "Yield by station", description: words(stations), height: Double(stations.count) * row + 34)
        let low = floor(stations)
        let x = { (share: Double) in left + (share - low) / (1 - low) * (Chart.width - left - right) }
        let bottom = Double(stations.count) * row + 6
        for part in [0.0, 0.5, 1] {
            let share = low + part * (1 - low)
            chart.line(x(share), 4, x(share), bottom, style: "grid")
            chart.text("\(FigureText.decimal(share * 100, 0)) %", x(share), bottom + 18, anchor: .middle)
        }
        for (index, station) in stations.enumerated() {
            let (y, share) = (Double(index) * row + row / 2 + 4, station.yield.share)
            chart.text(Chart.shortened(station.name, to: 20), left - 12, y + 4, anchor: .end, style: "name")
            guard let value = share.value else { continue }
            chart.line(x(share.interval.lowerBound), y, x(share.interval.upperBound), y, style: "whisker")
            chart.circle(x(value), y, 4.5, style: "dot")
            chart.text("\(FigureText.percent(value)), n \(FigureText.count(share.total))", Chart.width - right + 12, y + 4)
        }
        return chart
    }
}
