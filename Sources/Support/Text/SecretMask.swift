/// Finds a secret in text from elsewhere, and each piece of it that is long enough to give it away. Bytes are compared: an accent that
/// follows makes another character of the secret's last one.
public struct SecretMask: Sendable {
    /// In bytes; a shorter secret is found as a whole.
    private static let pieceLength = 8

    private let secret: [UInt8]
    private let length: Int
    private let pieces: Set<ArraySlice<UInt8>>

    /// - Parameter secret: an empty one is found nowhere.
    public init(_ secret: String) {
        let bytes = Array(secret.utf8)
        let length = min(Self.pieceLength, bytes.count)
        (self.secret, self.length) = (bytes, length)
        pieces = length == 0 ? [] : Set((0...(bytes.count - length)).map { bytes[$0..<($0 + length)] })
    }

    public func masked(_ text: String, with mask: String) -> String {
        let bytes = Array(text.utf8)
        var shown: [UInt8] = []
        var index = 0
        for range in ranges(in: bytes) {
            shown += bytes[index..<range.lowerBound] + mask.utf8
            index = range.upperBound
        }
        return String(decoding: shown + bytes[index...], as: UTF8.self)
    }

    /// How many bytes at the end of a text that goes on may be the secret's, or a piece of it.
    public func lengthAtEnd(of text: String) -> Int {
        let bytes = Array(text.utf8)
        let last = ranges(in: bytes).last
        let longest = max(0, min(length - 1, bytes.count))
        let begun = stride(from: longest, to: 0, by: -1).first { secret.firstRange(of: bytes.suffix($0)) != nil } ?? 0
        guard let last, last.upperBound >= bytes.count - begun else { return begun }
        return bytes.count - last.lowerBound
    }

    private func ranges(in text: [UInt8]) -> [Range<Int>] {
        guard length > 0, text.count >= length else { return [] }
        var ranges: [Range<Int>] = []
        for start in 0...(text.count - length) where pieces.contains(text[start..<(start + length)]) {
            if let last = ranges.last, start <= last.upperBound {
                ranges[ranges.count - 1] = last.lowerBound..<(start + length)
            } else {
                ranges.append(start..<(start + length))
            }
        }
        return ranges
    }
}
