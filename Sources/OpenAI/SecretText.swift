import Assistant
import Support

/// A key, hidden from `print`, `dump`, mirrors, JSON encoders and crash messages.
public struct SecretText: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let characters: String
    private let mask: SecretMask

    /// - Throws: ``AssistantError/badKey``.
    public init(_ text: String) throws(AssistantError) {
        guard (1...4096).contains(text.utf8.count), text.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else { throw .badKey }
        (characters, mask) = (text, SecretMask(text))
    }

    public var description: String { "[key]" }
    public var debugDescription: String { "[key]" }
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// A stand-in such as `none` or `not-needed`, for servers that need no key: an answer may contain such words.
    private var isWord: Bool { characters.utf8.count < 20 && characters.allSatisfy { $0.isLetter || "-_".contains($0) } }

    var bearer: String { "Bearer \(characters)" }

    /// - Parameter text: from a server that may repeat the key or part of it.
    func redacted(from text: String) -> String { isWord ? text : mask.masked(text, with: description) }

    /// Bytes at the end of a text that may begin the key.
    func lengthAtEnd(of text: String) -> Int { isWord ? 0 : mask.lengthAtEnd(of: text) }
}

/// Removes a key from a text that arrives in pieces.
struct SecretFilter {
    private let key: SecretText?
    /// The end so far, which may begin the key.
    private var held = ""

    init(_ key: SecretText?) { self.key = key }

    mutating func pass(_ piece: String) -> String {
        guard let key else { return piece }
        let bytes = (held + piece).utf8
        let keep = key.lengthAtEnd(of: held + piece)
        // The key is ASCII: no character is split.
        held = String(decoding: bytes.suffix(keep), as: UTF8.self)
        return key.redacted(from: String(decoding: bytes.dropLast(keep), as: UTF8.self))
    }

    mutating func finish() -> String {
        defer { held = "" }
        return key?.redacted(from: held) ?? held
    }
}
