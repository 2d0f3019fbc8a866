import Foundation

/// How the durations of each stage are distributed: a row of bars for each over one logarithmic axis, as stages differ by hundreds.
enum DurationChart {
    private static let (left, right, row, bins) = (110.0, 60.0, 40.0, 48)

    static func chart(_ stages: [RunFigures.Stage], id: String) -> Chart {
        let slowest = stages.max { ($0.durations.median ?? 0) < ($1.durations.median ?? 0) }
        let words = slowest.map { "\($0.name) takes longest: \(FigureText.seconds($0.durations.median)) at the median." } ?? "No stage has passed."
        var chart = Chart(id: id, title: "Durations by stage", description: words, height: Double(stages.count) * row + 50)
        let (low, high) = decades(stages)
        let x = { (seconds: Double) in left + (log10(max(seconds, pow(10, low))) - low) / (high - low) * (Chart.width - left - right) }
        let bottom = Double(stages.count) * row + 10
        for decade in stride(from: low, through: high, by: 1) {
            chart.line(x(pow(10, decade)), 6, x(pow(10, decade)), bottom, style: "grid")
            chart.text("\(decade < 0 ? FigureText.decimal(pow(10, decade), Int(-decade)) : FigureText.count(Int(pow(10, decade)))) s", x(pow(10, decade)), bottom + 18, anchor: .middle)
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

    /// The powers of ten around all durations; a tenth of a second at least, three hours at most.
    private static func decades(_ stages: [RunFigures.Stage]) -> (Double, Double) {
        let shortest = stages.compactMap(\.durations.shortest).min() ?? 0.1
        let longest = stages.compactMap(\.durations.longest).max() ?? 10
        let low = min(max(log10(max(shortest, 0.01)).rounded(.down), -2), 3)
        return (low, max(low + 1, min(log10(max(longest, 0.1)).rounded(.up), 6)))
    }

    private static func draw(_ stage: RunFigures.Stage, _ base: Double, _ low: Double, _ high: Double, _ x: (Double) -> Double, _ chart: inout Chart) {
        let edges = (0...bins).map { pow(10, low + (high - low) * Double($0) / Double(bins)) }
        var counts = stage.durations.histogram(edges)
        // What is shorter than the axis stands at its beginning.
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
