/// A key. It shows itself to nobody: not to `print`, `dump`, a mirror, a JSON encoder or a crash message.
public struct SecretText: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let characters: String
    private var bytes: String.UTF8View { characters.utf8 }

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

    /// A text from a server that may have repeated the key. Bytes are compared: an accent that follows makes another character
    /// of the key's last one.
    func redacted(from text: String) -> String {
        let text = Array(text.utf8)
        var shown: [UInt8] = []
        var index = 0
        while !isWord, let start = text[index...].firstRange(of: bytes)?.lowerBound {
            shown += text[index..<start] + description.utf8
            index = start + bytes.count
        }
        return String(decoding: shown + text[index...], as: UTF8.self)
    }

    /// How many bytes at a text's end are also the key's first ones.
    func lengthOfBeginning(atEndOf text: String) -> Int {
        let most = isWord ? 0 : min(bytes.count - 1, text.utf8.count)
        return stride(from: most, to: 0, by: -1).first { text.utf8.suffix($0).elementsEqual(bytes.prefix($0)) } ?? 0
    }
}
