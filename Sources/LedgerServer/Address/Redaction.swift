import Ledger
import Support

/// Makes text of a server or its library fit for messages: printable, short, without passwords.
enum Redaction {
    /// In characters: searching a long text for passwords takes long.
    private static let limit = 2000

    /// - Parameter secret: a known password; its pieces are left out, too.
    static func line(_ text: String, hiding secret: String = "") -> String {
        let shown = SecretMask(secret).masked(text, with: "***")
        var text = String(shown.split(whereSeparator: \.isWhitespace).joined(separator: " ").prefix(limit))
        text.replace(/(?i)(password\s*=\s*)('(?:[^'\\]|\\.)*'?|[^\s&]*)/) { "\($0.1)***" }
        text.replace(/(:\/\/[^\s:\/@]*):\S*@/) { "\($0.1):***@" }
        return RecordText.line(text)
    }
}
