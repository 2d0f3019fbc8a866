/// Colours for a terminal, or none.
struct TextStyle: Sendable {
    enum Tone: String { case good = "32", bad = "31", careful = "33", strong = "1" }

    var isColoured: Bool
    /// Whether the terminal has signs beyond ASCII.
    var hasSymbols = true
    /// What lines are to fit; `nil` where nobody looks.
    var columns: Int?

    /// Text on a ground of the tone's colour; readable on any terminal, as foreground and ground change places.
    func band(_ text: String, _ tone: Tone) -> String {
        isColoured ? "\u{1B}[\(tone.rawValue);7m\(text)\u{1B}[0m" : text
    }

    /// What stands before a command to copy.
    private static let commands = ["next:", "first, in noafw console:"]

    /// Narrower than this no line has room for words.
    private static let leastColumns = 24

    /// Lines of a result, broken between words. Commands stay whole.
    func fitted(_ lines: [String]) -> [String] {
        guard let limit = columns.map({ max($0 - 1, Self.leastColumns) }) else { return lines }
        return lines.flatMap { line in
            let blanks = line.prefix { $0 == " " }.count
            let command = Self.commands.first(where: line.dropFirst(blanks).hasPrefix)
            return command != nil ? Self.clauses(line, indent: blanks + 2, limit)
                : DisplayWidth.hang(line, lead: blanks, indent: blanks + 2, columns: limit)
        }
    }

    /// A next step: a line for each clause where it does not fit one; only prose is broken between words.
    private static func clauses(_ line: String, indent: Int, _ limit: Int) -> [String] {
        let clauses = ["or", "and", "then"].reduce(line.replacing("; ", with: ";\n")) { $0.replacing(", \($1) ", with: ",\n\($1) ") }
            .split(separator: "\n")
        let margin = String(repeating: " ", count: indent)
        return clauses.reduce(into: [String]()) { rows, clause in
            if let last = rows.last, DisplayWidth.columns(painted: last) + 1 + DisplayWidth.columns(painted: String(clause)) <= limit {
                rows[rows.count - 1] = last + " " + clause
            } else {
                let row = rows.isEmpty ? String(clause) : margin + clause
                let isCommand = ["noafw", "run: ", "/", "--"].contains { clause.contains($0) }
                rows += isCommand ? [row] : DisplayWidth.hang(row, lead: row.prefix { $0 == " " }.count, indent: indent, columns: limit)
            }
        }
    }

    func paint(_ text: String, _ tone: Tone) -> String {
        isColoured ? "\u{1B}[\(tone.rawValue)m\(text)\u{1B}[0m" : text
    }
}
