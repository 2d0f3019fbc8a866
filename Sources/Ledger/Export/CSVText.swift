import Support

/// Tables as CSV (RFC 4180): commas, CR LF, quotes doubled.
///
/// Unprintable characters become U+FFFD, because terminals show tables, too. A foreign text that a spreadsheet would take for a formula
/// gets an apostrophe (OWASP, "CSV Injection"): serial numbers and versions come over the air. Our own numbers stay unchanged.
public enum CSVText {
    public enum Form: Sendable {
        case plain
        /// With a byte order mark, and an apostrophe before texts that Excel would turn into numbers or dates.
        case excel
    }

    public enum Cell: Sendable, Hashable {
        /// From a unit, a person or a file: may attack a spreadsheet.
        case text(String)
        /// Our own: a number, a time, a word of a closed set.
        case value(String)
        case empty

        public init(_ text: String?) { self = text.map(Cell.text) ?? .empty }
        public init(value: (some CustomStringConvertible)?) { self = value.map { .value($0.description) } ?? .empty }
    }

    public static func document(_ header: [String], _ rows: some Sequence<[Cell]>, form: Form = .plain) -> String {
        head(header, form: form) + rows.map { row($0, form) }.joined()
    }

    static func head(_ header: [String], form: Form) -> String { (form == .excel ? "\u{FEFF}" : "") + row(header.map { .value($0) }, form) }

    static func row(_ cells: [Cell], _ form: Form) -> String {
        cells.map { quoted(content($0, form)) }.joined(separator: ",") + "\r\n"
    }

    private static func content(_ cell: Cell, _ form: Form) -> String {
        switch cell {
        case .empty: ""
        case .value(let value): value
        case .text(let text): harmless(PrintableText.of(text.unicodeScalars), form)
        }
    }

    private static func harmless(_ text: String, _ form: Form) -> String {
        isFormula(text) || form == .excel && looksLikeNumber(text) ? "'" + text : text
    }

    private static let formulaStarts = Set<Character>("=+-@＝＋－＠")

    /// Some programs also look after blanks and quotes.
    private static func isFormula(_ text: String) -> Bool {
        text.first { !" '\";,".contains($0) }.map(formulaStarts.contains) ?? false
    }

    /// Whether it begins like a number or a month: `00123`, `1E5`, `MAR1`, a number longer than a spreadsheet's 15 digits.
    private static func looksLikeNumber(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first else { return false }
        if first.properties.numericType != nil || first == "." { return !isPlainNumber(text) }
        let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
        return months.contains(String(text.lowercased().prefix(3))) || ["true", "false"].contains(text.lowercased())
    }

    private static func isPlainNumber(_ text: String) -> Bool {
        text.utf8.count <= 15 && Int64(text).map { "\($0)" == text } == true
    }

    private static func quoted(_ text: String) -> String {
        let quote = UInt8(ascii: "\"")
        let needsQuotes =
            text.utf8.contains { $0 == UInt8(ascii: ",") || $0 == quote || $0 == 0x0D || $0 == 0x0A } || text.first == " "
            || text.last == " "
        guard needsQuotes else { return text }
        return "\"" + text.replacing("\"", with: "\"\"") + "\""
    }
}
