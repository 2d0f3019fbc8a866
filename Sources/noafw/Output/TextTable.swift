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

    /// - Parameters:
    ///   - limit: the columns at which lines are cut.
    ///   - tone: the tone of a whole row, by its index.
    func lines(style: TextStyle, columns limit: Int? = nil, tone: (Int) -> TextStyle.Tone?) -> [String] {
        let titles = columns.map(\.title)
        let widths = columns.indices.map { column in
            ([titles] + rows).map { column < $0.count ? DisplayWidth.columns($0[column]) : 0 }.max() ?? 0
        }
        let body = rows.enumerated().map { index, row in
            let line = cut(join(row, widths), limit)
            return tone(index).map { style.paint(line, $0) } ?? line
        }
        return [style.paint(cut(join(titles, widths), limit), .strong)] + body
    }

    private func cut(_ line: String, _ limit: Int?) -> String {
        limit.map { DisplayWidth.prefix(line, columns: $0) } ?? line
    }

    private func join(_ cells: [String], _ widths: [Int]) -> String {
        var line = ""
        for (column, cell) in cells.enumerated() where column < widths.count {
            let padding = String(repeating: " ", count: max(0, widths[column] - DisplayWidth.columns(cell)))
            line += columns[column].alignment == .left ? cell + padding : padding + cell
            line += "  "
        }
        while line.hasSuffix(" ") { line.removeLast() }
        return line
    }
}
