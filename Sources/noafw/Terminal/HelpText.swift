/// The parser's help on a terminal: it is broken between words, and goes on below the column where it began.
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
                String(line), lead: isInColumns ? column : blanks, indent: isInColumns ? column : blanks > 0 ? blanks + 4 : 0, columns: columns)
        }.joined(separator: "\n")
    }
}
