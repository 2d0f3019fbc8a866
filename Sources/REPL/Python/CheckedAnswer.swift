import Cryptography
import Support

/// Answers that carry a checksum of their own, since notifications can be lost or damaged: `text check`, the check being the
/// first 8 hexadecimal digits of the text's SHA-256, as ``RemoteHelper``'s `say` prints it.
public enum CheckedAnswer {
    /// - Throws: ``REPLError/unreadable(_:)``.
    public static func decode(_ answer: [UInt8]) throws -> String {
        let text = PrintableText.of(answer)
        guard let space = text.lastIndex(of: " "),
            text[text.index(after: space)...] == SHA256.check(of: text[..<space].utf8)
        else { throw REPLError.unreadable(String(text.suffix(80))) }
        return String(text[..<space])
    }

    /// Asks up to three times while the answer is damaged: only for questions that change nothing.
    public static func insisting<Value>(_ question: () async throws -> Value) async throws -> Value {
        for _ in 0..<2 {
            do {
                return try await question()
            } catch REPLError.unreadable {
                continue
            }
        }
        return try await question()
    }
}
