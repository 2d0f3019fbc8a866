/// A key. It shows itself to nobody: not to `print`, `dump`, a mirror, a JSON encoder or a crash message.
public struct SecretText: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let characters: String

    /// - Throws: ``AssistantError/badKey`` for anything but 1 to 4096 visible ASCII characters.
    public init(_ text: String) throws(AssistantError) {
        guard (1...4096).contains(text.utf8.count), text.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else { throw .badKey }
        characters = text
    }

    public var description: String { "[key]" }
    public var debugDescription: String { "[key]" }
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// A stand-in for servers that want no key, such as `none` or `not-needed`: an answer may hold such words, too.
    private var isWord: Bool { characters.utf8.count < 20 && characters.allSatisfy { $0.isLetter || "-_".contains($0) } }

    /// The value of an `Authorization` header.
    var bearer: String { "Bearer \(characters)" }

    /// A text from a server that may have repeated the key.
    func redacted(from text: String) -> String {
        !isWord && text.contains(characters) ? text.replacing(characters, with: description) : text
    }

    /// How many characters at a text's end are also the key's first ones.
    func lengthOfBeginning(atEndOf text: String) -> Int {
        let most = isWord ? 0 : min(characters.count - 1, text.count)
        return stride(from: most, to: 0, by: -1).first { text.hasSuffix(characters.prefix($0)) } ?? 0
    }
}
