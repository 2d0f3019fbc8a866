/// Aligned columns, two spaces apart.
struct TextTable: Sendable {
    enum Alignment { case left, right }

    struct Column {
        var title: String
        var alignment: Alignment
        init(_ title: String, _ alignment: Alignment = .left) {
            self.title = title
            self.alignment = alignment
        }
    }

    private let columns: [Column]
    private var rows: [[String]] = []

    init(_ columns: [Column]) { self.columns = columns }

    mutating func append(_ row: [String]) { rows.append(row) }

    /// - Parameter tone: the tone of a whole row, by its index.
    func lines(style: TextStyle, tone: (Int) -> TextStyle.Tone?) -> [String] {
        let titles = columns.map(\.title)
        let widths = columns.indices.map { column in
            ([titles] + rows).map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
        }
        let body = rows.enumerated().map { index, row in
            let line = join(row, widths)
            return tone(index).map { style.paint(line, $0) } ?? line
        }
        return [style.paint(join(titles, widths), .strong)] + body
    }

    private func join(_ cells: [String], _ widths: [Int]) -> String {
        var line = ""
        for (column, cell) in cells.enumerated() where column < widths.count {
            let padding = String(repeating: " ", count: max(0, widths[column] - cell.count))
            line += columns[column].alignment == .left ? cell + padding : padding + cell
            line += "  "
        }
        while line.hasSuffix(" ") { line.removeLast() }
        return line
    }
}
