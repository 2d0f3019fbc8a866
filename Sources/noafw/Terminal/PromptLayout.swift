/// Positions of an edited text's characters on a terminal of a given width.
struct PromptLayout: Equatable {
    static let prompt = "> "
    static let continuation = "  "
    /// Rows shown of a long text, around the cursor.
    static let rowLimit = 10

    private(set) var rows: [String] = []
    private(set) var cursorRow = 0
    private(set) var cursorColumn = 0

    /// - Parameters:
    ///   - cursor: bytes of `text` before it.
    ///   - columns: of the terminal; the last stays free, since terminals treat it differently.
    init(_ text: String, cursor: Int, columns: Int, prompt: String = Self.prompt, continuation: String = Self.continuation) {
        let width = max(8, columns - 1)
        var row = DisplayWidth.suffix(prompt, columns: width)
        var used = DisplayWidth.columns(row)
        var offset = 0
        func mark() { if offset == cursor { (cursorRow, cursorColumn) = (rows.count, used) } }
        func breakRow() {
            rows.append(row)
            row = continuation
            used = DisplayWidth.columns(row)
        }
        for character in text {
            let columns = DisplayWidth.columns(character)
            if character != "\n", used + columns > width { breakRow() }
            mark()
            offset += character.utf8.count
            if character == "\n" {
                breakRow()
            } else {
                row.append(character)
                used += columns
            }
        }
        if used >= width, offset == cursor { breakRow() }
        mark()
        rows.append(row)
        crop()
    }

    private mutating func crop() {
        guard rows.count > Self.rowLimit else { return }
        let first = min(max(0, cursorRow - Self.rowLimit / 2), rows.count - Self.rowLimit)
        rows = Array(rows[first..<first + Self.rowLimit])
        cursorRow -= first
    }
}

/// The rows at the bottom of the terminal that are redrawn repeatedly.
struct LiveArea {
    private var cursorRow = 0
    private var isDrawn = false

    /// Text that removes it and leaves the cursor where it began.
    mutating func erase() -> String {
        guard isDrawn else { return "" }
        isDrawn = false
        return "\r" + (cursorRow > 0 ? "\u{1B}[\(cursorRow)A" : "") + "\u{1B}[J"
    }

    /// Text that draws it at the cursor.
    mutating func draw(_ rows: [String], cursorRow: Int, cursorColumn: Int) -> String {
        self.cursorRow = cursorRow
        isDrawn = true
        let up = rows.count - 1 - cursorRow
        return rows.joined(separator: "\r\n") + (up > 0 ? "\u{1B}[\(up)A" : "") + "\r"
            + (cursorColumn > 0 ? "\u{1B}[\(cursorColumn)C" : "")
    }
}
