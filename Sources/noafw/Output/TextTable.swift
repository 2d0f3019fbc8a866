/// Aligned columns, two spaces apart where there is room.
struct TextTable: Sendable {
    enum Alignment { case left, right }

    struct Column {
        var title: String
        var alignment: Alignment
        /// When it is left out where lines are too long: 1 first; `nil` for never.
        var turn: Int?

        init(_ title: String, _ alignment: Alignment = .left, leftOut turn: Int? = nil) { (self.title, self.alignment, self.turn) = (title, alignment, turn) }
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
        let form = form(widths, within: style.columns)
        let body = rows.enumerated().map { index, row in
            let line = cut(join(row, widths, form), limit)
            return tone(index).map { style.paint(line, $0) } ?? line
        }
        return [style.paint(cut(join(titles, widths, form), limit), .strong)] + body
    }

    private typealias Form = (shown: [Int], gap: Int)

    /// Where lines are too long, columns come closer, and then some are left out.
    private func form(_ widths: [Int], within limit: Int?) -> Form {
        var form = (shown: Array(columns.indices), gap: 2)
        func isTooWide() -> Bool { form.shown.reduce(-form.gap) { $0 + widths[$1] + form.gap } >= limit ?? .max }
        if isTooWide() { form.gap = 1 }
        for column in columns.indices.filter({ columns[$0].turn != nil }).sorted(by: { columns[$0].turn ?? 0 < columns[$1].turn ?? 0 }) where isTooWide() {
            form.shown.removeAll { $0 == column }
        }
        return form
    }

    private func cut(_ line: String, _ limit: Int?) -> String {
        limit.map { DisplayWidth.prefix(line, columns: $0) } ?? line
    }

    private func join(_ cells: [String], _ widths: [Int], _ form: Form) -> String {
        var line = ""
        for (column, cell) in cells.enumerated() where form.shown.contains(column) {
            let padding = String(repeating: " ", count: max(0, widths[column] - DisplayWidth.columns(cell)))
            line += columns[column].alignment == .left ? cell + padding : padding + cell
            line += String(repeating: " ", count: form.gap)
        }
        while line.hasSuffix(" ") { line.removeLast() }
        return line
    }
}
