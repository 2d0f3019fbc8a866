import Foundation
import Support

/// Printable, bounded text for a record, without NUL and lone surrogates, which databases refuse.
public enum RecordText {
    public static let limit = 200
    /// A plan's limit, in bytes.
    public static let planByteLimit = 65_536

    /// At most ``limit`` characters. Unprintable ones become U+FFFD.
    public static func line(_ text: String) -> String {
        let scalars = text.unicodeScalars.lazy.filter { $0.value != 0 }.prefix(limit)
        return PrintableText.of(scalars).trimmingCharacters(in: CharacterSet(charactersIn: " "))
    }

    /// `nil` for an empty text, so that a missing serial number has one form.
    public static func optional(_ text: String?) -> String? {
        guard let line = text.map(line), !line.isEmpty else { return nil }
        return line
    }

    /// `-` for an empty text.
    public static func required(_ text: String) -> String { optional(text) ?? "-" }

    /// The same JSON; `nil` if invalid or longer than ``planByteLimit``. `\u0000` and the halves of surrogate pairs, which PostgreSQL
    /// refuses inside jsonb, become U+FFFD.
    static func json(_ text: String?) -> String? {
        guard let text, text.utf8.count <= planByteLimit, !text.utf8.contains(0) else { return nil }
        let escapes = /\\u[Dd][89ABab][0-9A-Fa-f]{2}\\u[Dd][C-Fc-f][0-9A-Fa-f]{2}|(\\u(?:0000|[Dd][89A-Fa-f][0-9A-Fa-f]{2}))|\\./
        let cleaned = text.replacing(escapes.matchingSemantics(.unicodeScalar)) { $0.1 == nil ? String($0.0) : "\\ufffd" }
        return (try? JSONSerialization.jsonObject(with: Data(cleaned.utf8))) == nil ? nil : cleaned
    }
}
