/// Takes a key out of a text that comes in pieces, wherever they are cut: a server may repeat what it was sent, or a part of it.
struct SecretFilter {
    private let key: SecretText?
    /// An end of what came so far that may be the key's.
    private var held = ""

    init(_ key: SecretText?) { self.key = key }

    /// - Returns: what can be shown by now; it may be empty.
    mutating func pass(_ piece: String) -> String {
        guard let key else { return piece }
        let bytes = Array((held + piece).utf8)
        let keep = key.lengthAtEnd(of: held + piece)
        // The key is ASCII: no character is cut in two.
        held = String(decoding: bytes.suffix(keep), as: UTF8.self)
        return key.redacted(from: String(decoding: bytes.dropLast(keep), as: UTF8.self))
    }

    /// The rest: nothing will follow.
    mutating func finish() -> String {
        defer { held = "" }
        return key?.redacted(from: held) ?? held
    }
}
