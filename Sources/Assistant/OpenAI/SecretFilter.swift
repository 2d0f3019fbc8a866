/// Takes a key out of a text that comes in pieces, wherever they are cut: a server may repeat what it was sent.
struct SecretFilter {
    private let key: SecretText?
    /// An end of what came so far that may be the beginning of the key.
    private var held = ""

    init(_ key: SecretText?) { self.key = key }

    /// - Returns: what can be shown by now; it may be empty.
    mutating func pass(_ piece: String) -> String {
        guard let key else { return piece }
        let text = key.redacted(from: held + piece)
        let keep = key.lengthOfBeginning(atEndOf: text)
        // The key is ASCII: no character is cut in two.
        let end = text.utf8.index(text.endIndex, offsetBy: -keep)
        held = String(text[end...])
        return String(text[..<end])
    }

    /// The rest: no key will follow.
    mutating func finish() -> String {
        defer { held = "" }
        return held
    }
}
