/// Shows an answer while it arrives: complete rows go up, the current one stays at the bottom.
struct AnswerStream {
    /// The current row.
    private(set) var row = ""
    private(set) var isOpen = false

    /// - Returns: complete rows.
    mutating func append(_ piece: String, columns: Int) -> [String] {
        isOpen = true
        var done: [String] = []
        var lines = UntrustedText.lines(piece)
        lines[0] = row + lines[0]
        for (number, line) in lines.enumerated() {
            let rows = DisplayWidth.wrap(line, columns: columns)
            if number < lines.count - 1 {
                done += rows
            } else {
                done += rows.dropLast()
                row = rows.last ?? ""
            }
        }
        return done
    }

    /// - Returns: the rest.
    mutating func close() -> [String] {
        defer { (row, isOpen) = ("", false) }
        return isOpen && !row.isEmpty ? [row] : []
    }
}
