import Ledger
import Support

/// Text of a server or its library, for messages: printable, short, without passwords.
enum Redaction {
    /// In characters; more than a message shows. The search for passwords takes long in a long text.
    private static let limit = 2000

    /// - Parameter secret: a password that is known; pieces of it are left out, too.
    static func line(_ text: String, hiding secret: String = "") -> String {
        let shown = SecretMask(secret).masked(text, with: "***")
        var text = String(shown.split(whereSeparator: \.isWhitespace).joined(separator: " ").prefix(limit))
        text.replace(/(?i)(password\s*=\s*)('(?:[^'\\]|\\.)*'?|[^\s&]*)/) { "\($0.1)***" }
        text.replace(/(:\/\/[^\s:\/@]*):\S*@/) { "\($0.1):***@" }
        return RecordText.line(text)
    }
}
