import Foundation

/// Yields as dots with the interval that holds the true share in 95 of 100 cases.
enum YieldCharts {
    /// Where the scale begins: most yields are near the top.
    private static func floor(_ yields: [RunFigures.NamedYield]) -> Double {
        let lowest = yields.compactMap { $0.yield.share.value == nil ? nil : $0.yield.share.interval.lowerBound }.min() ?? 0
        return [0.9, 0.8, 0.5].first { $0 <= lowest } ?? 0
    }

    private static func words(_ yields: [RunFigures.NamedYield]) -> String {
        let values = yields.filter { $0.yield.share.total > 0 }
        guard let worst = values.min(by: { ($0.yield.share.value ?? 1) < ($1.yield.share.value ?? 1) }),
            let best = values.max(by: { ($0.yield.share.value ?? 0) < ($1.yield.share.value ?? 0) })
        else { return "No run says anything about a unit." }
        return
            "From \(FigureText.percent(worst.yield.share.value)) (\(worst.name)) to \(FigureText.percent(best.yield.share.value)) "
                + "(\(best.name))."
    }

    static func days(_ days: [RunFigures.NamedYield], id: String) -> Chart {
        let (left, right, top, bottom) = (46.0, 12.0, 14.0, 210.0)
        var chart = Chart(id: id, title: "Yield by day", description: words(days) + " Bars show the number of runs.", height: 284)
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

/// The most frequent error codes, and their cumulative share.
enum ParetoChart {
    static func chart(_ pareto: Pareto, id: String) -> Chart {
        let total = pareto.bars.reduce(0) { $0 + $1.count }
        let words =
            pareto.bars.first.map { "\($0.name) is the most frequent: \($0.count) of \(total) runs that did not pass." }
            ?? "Every run passed."
        let (left, right, row, top) = (150.0, 30.0, 26.0, 8.0)
        var chart = Chart(id: id, title: "Error codes by frequency", description: words, height: Double(pareto.bars.count) * row + 58)
        let bottom = top + Double(pareto.bars.count) * row
        let x = { (share: Double) in left + share * (Chart.width - left - right) }
        for part in [0.0, 0.25, 0.5, 0.75, 1] {
            chart.line(x(part), top, x(part), bottom, style: "grid")
            chart.text("\(FigureText.decimal(part * 100, 0)) %", x(part), bottom + 18, anchor: .middle)
        }
        var points: [(Double, Double)] = []
        for (index, bar) in pareto.bars.enumerated() {
            let y = top + (Double(index) + 0.5) * row
            let end = x(Double(bar.count) / Double(max(total, 1)))
            chart.text(Chart.shortened(bar.name, to: 14), left - 52, y + 4, anchor: .end, style: "name")
            chart.rectangle(left, y - row * 0.32, max(end - left, 1.5), row * 0.64, style: bar.name == Pareto.otherName ? "quiet" : "bad")
            chart.text(FigureText.count(bar.count), left - 10, y + 4, anchor: .end, style: "figure")
            points.append((x(bar.cumulative), y))
        }
        chart.path(points, style: "trend strong")
        for (x, y) in points { chart.circle(x, y, 3.5, style: "ring") }
        chart.text("Bars: share of the runs that did not pass, with their number. Line: added up from the top.", left - 52, bottom + 42)
        return chart
    }
}

/// How long each stage took: a row of bars for each over one logarithmic axis, as stages differ a hundredfold.
enum DurationChart {
    private static let (left, right, row, bins) = (110.0, 60.0, 40.0, 48)

    static func chart(_ stages: [RunFigures.Stage], id: String) -> Chart {
        let slowest = stages.max { ($0.durations.median ?? 0) < ($1.durations.median ?? 0) }
        let words =
            slowest.map { "\($0.name) takes longest: \(FigureText.seconds($0.durations.median)) at the median." } ?? "No stage has passed."
        var chart = Chart(id: id, title: "Durations by stage", description: words, height: Double(stages.count) * row + 50)
        let (low, high) = decades(stages)
        let x = { (seconds: Double) in left + (log10(max(seconds, pow(10, low))) - low) / (high - low) * (Chart.width - left - right) }
        let bottom = Double(stages.count) * row + 10
        for decade in stride(from: low, through: high, by: 1) {
            chart.line(x(pow(10, decade)), 6, x(pow(10, decade)), bottom, style: "grid")
            chart.text(
                "\(decade < 0 ? FigureText.decimal(pow(10, decade), Int(-decade)) : FigureText.count(Int(pow(10, decade)))) s",
                x(pow(10, decade)), bottom + 18, anchor: .middle)
        }
        for (index, stage) in stages.enumerated() { draw(stage, Double(index + 1) * row, low, high, x, &chart) }
        let (y, key) = (bottom + 36, left)
        chart.circle(key + 4, y - 4, 4, style: "dot")
        chart.text("P50", key + 14, y)
        diamond(key + 60, y - 4, &chart)
        chart.text("P95", key + 70, y)
        chart.line(key + 116, y - 10, key + 116, y + 2, style: "end")
        chart.text("longest", key + 124, y)
        return chart
    }

    /// The powers of ten around all durations; from a tenth of a second to three hours.
    private static func decades(_ stages: [RunFigures.Stage]) -> (Double, Double) {
        let shortest = stages.compactMap(\.durations.shortest).min() ?? 0.1
        let longest = stages.compactMap(\.durations.longest).max() ?? 10
        let low = min(max(log10(max(shortest, 0.01)).rounded(.down), -2), 3)
        return (low, max(low + 1, min(log10(max(longest, 0.1)).rounded(.up), 6)))
    }

    private static func draw(
        _ stage: RunFigures.Stage, _ base: Double, _ low: Double, _ high: Double, _ x: (Double) -> Double, _ chart: inout Chart
    ) {
        let edges = (0...bins).map { pow(10, low + (high - low) * Double($0) / Double(bins)) }
        var counts = stage.durations.histogram(edges)
        // The first bar includes shorter durations.
        counts[0] += stage.durations.count - counts.reduce(0, +)
        let most = Double(counts.max() ?? 1)
        for (bin, count) in counts.enumerated() where count > 0 {
            let height = max(1.5, Double(count) / max(most, 1) * (row - 14))
            chart.rectangle(x(edges[bin]) + 0.5, base - height, x(edges[bin + 1]) - x(edges[bin]) - 1, height, style: "good")
        }
        chart.line(left, base, Chart.width - right, base, style: "base")
        chart.text(Chart.shortened(stage.name, to: 14), left - 12, base - 4, anchor: .end, style: "name")
        guard let median = stage.durations.median, let p95 = stage.durations.p95, let longest = stage.durations.longest else { return }
        chart.line(x(longest), base - 8, x(longest), base + 4, style: "end")
        diamond(x(p95), base, &chart)
        chart.circle(x(median), base, 4, style: "dot")
        chart.text(FigureText.seconds(median), Chart.width - right + 10, base - 4, style: "figure")
    }

    private static func diamond(_ x: Double, _ y: Double, _ chart: inout Chart) {
        chart.path([(x, y - 5), (x + 5, y), (x, y + 5), (x - 5, y)], isClosed: true, style: "ring")
    }
}

enum UnitChart {
    static func chart(
        _ units: [RunFigures.Unit], id: String, title: String, figure: (RunFigures.Unit) -> Double, text: (RunFigures.Unit) -> String
    ) -> Chart {
        let words = units.first.map { "\($0.name): \(text($0))." } ?? "There is none."
        let (left, right, row) = (210.0, 80.0, 26.0)
        var chart = Chart(id: id, title: title, description: words, height: Double(units.count) * row + 12)
        let most = units.map(figure).max() ?? 1
        for (index, unit) in units.enumerated() {
            let y = Double(index) * row + 6
            let length = figure(unit) / max(most, .leastNonzeroMagnitude) * (Chart.width - left - right)
            chart.text(Chart.shortened(unit.serial ?? unit.address, to: 26), left - 12, y + 16, anchor: .end, style: "name")
            chart.rectangle(left, y + 4, max(length, 1.5), row - 10, style: "good")
            chart.text(text(unit), left + max(length, 1.5) + 8, y + 16, style: "figure")
        }
        return chart
    }
}
