/// Columns that text takes on a terminal (Unicode Standard Annex 11, and emoji as terminals show them).
enum DisplayWidth {
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
        0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F1E6...0x1F1FF, 0x1F300...0x1F64F, 0x1F680...0x1F6FF,
        0x1F900...0x1F9FF, 0x1FA70...0x1FAFF, 0x20000...0x3FFFD,
    ]

    static func columns(_ character: Character) -> Int {
        let scalars = character.unicodeScalars
        guard let first = scalars.first else { return 0 }
        if character.isASCII { return 1 }
        let isEmoji = scalars.contains { $0.value == 0xFE0F } && first.properties.isEmoji
        if isEmoji || first.properties.isEmojiPresentation || wide.contains(where: { $0.contains(first.value) }) { return 2 }
        switch first.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: return 0
        default: return 1
        }
    }

    static func columns(_ text: some StringProtocol) -> Int { text.reduce(0) { $0 + columns($1) } }

    /// For a line with colours.
    static func columns(painted line: String) -> Int { columns(line.replacing(/\u{1B}\[[0-9;]*m/, with: "")) }

    enum Side { case start, end }

    /// Text cut to fit, with a mark where it is cut.
    static func shortened(_ text: String, columns limit: Int, keeping side: Side) -> String {
        guard columns(text) > limit else { return text }
        let mark = "..."
        return side == .start ? prefix(text, columns: limit - mark.count) + mark : mark + suffix(text, columns: limit - mark.count)
    }

    static func prefix(_ text: String, columns limit: Int) -> String {
        var used = 0
        return String(text.prefix { character in
            used += columns(character)
            return used <= limit
        })
    }

    static func suffix(_ text: String, columns limit: Int) -> String { String(prefix(String(text.reversed()), columns: limit).reversed()) }

    /// Breaks a long line into rows; rows after the first are indented.
    /// - Parameter lead: leading characters that are never broken.
    static func hang(_ line: String, lead: Int, indent: Int, columns limit: Int?) -> [String] {
        guard let limit, columns(painted: line) > limit else { return [line] }
        let indent = min(indent, limit / 2)
        let rows = wrap(String(line.dropFirst(lead)), columns: max(1, limit - max(indent, lead)))
        return [line.prefix(lead) + (rows.first ?? "")] + rows.dropFirst().map { String(repeating: " ", count: indent) + $0 }
    }

    /// Breaks a line into rows, at spaces if possible.
    static func wrap(_ line: String, columns limit: Int) -> [String] {
        var rows: [String] = []
        var row = ""
        for word in line.split(separator: " ", omittingEmptySubsequences: false) {
            let candidate = row.isEmpty ? String(word) : row + " " + word
            if columns(painted: candidate) <= limit {
                row = candidate
                continue
            }
            if !row.isEmpty { rows.append(row) }
            row = String(word)
            while columns(row) > limit {
                let fitting = prefix(row, columns: limit)
                // A wide character does not fit one column.
                let head = fitting.isEmpty ? String(row.prefix(1)) : fitting
                rows.append(head)
                row = String(row.dropFirst(head.count))
            }
        }
        return rows + [row]
    }
}

/// The parser's help on a terminal: wrapped between words, with continuation lines indented to their column.
enum HelpText {
    /// Enough for every line of the parser.
    static let parserColumns = 10_000
    /// Where the parser's second column begins.
    private static let column = 26

    static func fitted(_ text: String, columns: Int) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line in
            let blanks = line.prefix { $0 == " " }.count
            let rest = line.dropFirst(column - 2)
            let isInColumns = blanks == column || (blanks > 0 && rest.hasPrefix("  ") && rest.dropFirst(2).first != " " && rest.count > 2)
            return DisplayWidth.hang(
                String(line), lead: isInColumns ? column : blanks, indent: isInColumns ? column : blanks > 0 ? blanks + 4 : 0,
                columns: columns)
        }.joined(separator: "\n")
    }
}
