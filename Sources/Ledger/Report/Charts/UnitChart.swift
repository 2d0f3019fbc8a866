/// A few units by one figure.
enum UnitChart {
    static func chart(_ units: [RunFigures.Unit], id: String, title: String, figure: (RunFigures.Unit) -> Double, text: (RunFigures.Unit) -> String) -> Chart {
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
