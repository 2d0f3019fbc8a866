/// What a unit prints above its prompt: whole rows, and the row that goes on. It stays in its row: a carriage return begins that anew.
struct OutputRows {
    private static let tab = 8

    private(set) var row = ""
    private var filter = TerminalFilter()
    private var isReturning = false

    /// - Parameter bytes: the next ones, cut anywhere.
    /// - Returns: the rows that are complete, each with at most as many columns.
    mutating func take(_ bytes: [UInt8], columns: Int) -> [String] {
        var rows: [String] = []
        for scalar in filter.show(bytes).unicodeScalars {
            if isReturning, scalar != "\n", scalar != "\r" { row = "" }
            isReturning = scalar == "\r"
            switch scalar {
            case "\n":
                rows += fitted(columns) + [row]
                row = ""
            case "\r": break
            case "\u{8}": row = String(row.dropLast())
            case "\t": row += String(repeating: " ", count: Self.tab - DisplayWidth.columns(row) % Self.tab)
            default: row.unicodeScalars.append(scalar)
            }
        }
        return rows + fitted(columns)
    }

    /// - Returns: the row that goes on, if there is one.
    mutating func close() -> [String] {
        defer { (row, isReturning) = ("", false) }
        return row.isEmpty ? [] : [row]
    }

    private mutating func fitted(_ columns: Int) -> [String] {
        var rows: [String] = []
        while DisplayWidth.columns(row) > columns {
            let fitting = DisplayWidth.prefix(row, columns: columns)
            // A wide character does not fit one column.
            rows.append(fitting.isEmpty ? String(row.prefix(1)) : fitting)
            row = String(row.dropFirst(max(1, fitting.count)))
        }
        return rows
    }
}
