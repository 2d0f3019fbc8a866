import Ledger

/// Text of a server or its library, for messages: printable, short, without passwords.
enum Redaction {
    static func line(_ text: String) -> String {
        var text = text
        text.replace(/(?i)(password\s*=\s*)('(?:[^'\\]|\\.)*'?|[^\s&]*)/) { "\($0.1)***" }
        text.replace(/(:\/\/[^\s:\/@]*):\S*@/) { "\($0.1):***@" }
        return RecordText.line(text.split(whereSeparator: \.isWhitespace).joined(separator: " "))
    }
}
