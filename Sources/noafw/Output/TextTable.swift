/// Aligned columns, two spaces apart where there is room.
struct TextTable: Sendable {
    enum Alignment { case left, right }

    struct Column {
        var title: String
        var alignment: Alignment
        /// When it is left out where lines are too long: 1 first; `nil` for never.
        var turn: Int?
        /// What stays of a cell that is too long even then; `nil` for all of it.
        var kept: DisplayWidth.Side?

        init(_ title: String, _ alignment: Alignment = .left, leftOut turn: Int? = nil, keeping kept: DisplayWidth.Side? = nil) {
            (self.title, self.alignment, self.turn, self.kept) = (title, alignment, turn, kept)
        }
    }

    /// Columns that a cell keeps however narrow the terminal is.
    private static let leastCell = 8

    private let columns: [Column]
    private var rows: [[String]] = []

    init(_ columns: [Column]) { self.columns = columns }

    mutating func append(_ row: [String]) { rows.append(row) }

    /// - Parameters:
    ///   - limit: the columns at which lines are cut.
    ///   - tone: the tone of a whole row, by its index.
    func lines(style: TextStyle, columns limit: Int? = nil, tone: (Int) -> TextStyle.Tone?) -> [String] {
        let titles = columns.map(\.title)
        var widths = columns.indices.map { column in
            ([titles] + rows).map { column < $0.count ? DisplayWidth.columns($0[column]) : 0 }.max() ?? 0
        }
        let form = form(&widths, within: style.columns)
        let body = rows.enumerated().map { index, row in
            let line = cut(join(row, widths, form), limit)
            return tone(index).map { style.paint(line, $0) } ?? line
        }
        return [style.paint(cut(join(titles, widths, form), limit), .strong)] + body
    }

    private typealias Form = (shown: [Int], gap: Int)

    /// Where lines are too long, columns come closer, then some are left out, and the longest of those that may be are shortened.
    private func form(_ widths: inout [Int], within limit: Int?) -> Form {
        var form = (shown: Array(columns.indices), gap: 2)
        guard let limit else { return form }
        func excess(_ widths: [Int]) -> Int { form.shown.reduce(1 - form.gap - limit) { $0 + widths[$1] + form.gap } }
        if excess(widths) > 0 { form.gap = 1 }
        for column in columns.indices.filter({ columns[$0].turn != nil }).sorted(by: { columns[$0].turn ?? 0 < columns[$1].turn ?? 0 })
        where excess(widths) > 0 {
            form.shown.removeAll { $0 == column }
        }
        while excess(widths) > 0 {
            let cells = form.shown.filter { columns[$0].kept != nil && widths[$0] > Self.leastCell }
            guard let longest = cells.max(by: { widths[$0] < widths[$1] }) else { break }
            widths[longest] -= 1
        }
        return form
    }

    private func cut(_ line: String, _ limit: Int?) -> String {
        limit.map { DisplayWidth.prefix(line, columns: $0) } ?? line
    }

    private func join(_ cells: [String], _ widths: [Int], _ form: Form) -> String {
        var line = ""
        for (column, cell) in cells.enumerated() where form.shown.contains(column) {
            let cell = columns[column].kept.map { DisplayWidth.shortened(cell, columns: widths[column], keeping: $0) } ?? cell
            let padding = String(repeating: " ", count: max(0, widths[column] - DisplayWidth.columns(cell)))
            line += columns[column].alignment == .left ? cell + padding : padding + cell
            line += String(repeating: " ", count: form.gap)
        }
        while line.hasSuffix(" ") { line.removeLast() }
        return line
    }
}
