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
        lines.flatMap { line in
            let blanks = line.prefix { $0 == " " }.count
            guard !Self.commands.contains(where: line.dropFirst(blanks).hasPrefix) else { return [line] }
            return DisplayWidth.hang(line, lead: blanks, indent: blanks + 2, columns: columns.map { max($0 - 1, Self.leastColumns) })
        }
    }

    func paint(_ text: String, _ tone: Tone) -> String {
        isColoured ? "\u{1B}[\(tone.rawValue)m\(text)\u{1B}[0m" : text
    }
}
