/// The error codes that occur most, with the share of all that they make up together.
enum ParetoChart {
    static func chart(_ pareto: Pareto, id: String) -> Chart {
        let total = pareto.bars.reduce(0) { $0 + $1.count }
        let words = pareto.bars.first.map { "\($0.name) is the most frequent: \($0.count) of \(total) runs that did not pass." } ?? "Every run passed."
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
