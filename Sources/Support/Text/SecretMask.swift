import FoundationEssentials

/// Finds a secret in foreign text, and any piece long enough to reveal it: plain, in base64, percent-encoded and in
/// hexadecimal. Compares bytes, because a following accent would change the secret's last character.
public struct SecretMask: Sendable {
    /// In bytes; a shorter secret is found only as a whole.
    private static let pieceLength = 8

    private let forms: [[UInt8]]
    private let pieces: Set<ArraySlice<UInt8>>
    private let lengths: Set<Int>

    /// An empty secret masks nothing.
    public init(_ secret: String) {
        let secret = Array(secret.utf8)
        forms = secret.isEmpty ? [] : [secret] + Self.codes(of: secret).filter { $0.count >= Self.pieceLength }
        pieces = Set(forms.flatMap(Self.pieces))
        lengths = Set(pieces.map(\.count))
    }

    private static func pieces(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        let length = min(Self.pieceLength, bytes.count)
        return (0...(bytes.count - length)).map { bytes[$0..<($0 + length)] }
    }

    private static func codes(of secret: [UInt8]) -> Set<[UInt8]> {
        // One for each position in a three-byte group; digits shared with neighbouring bytes are omitted.
        let base64 = (0..<3).map { place in
            let digits = Array(Data(repeatElement(0, count: place) + secret).base64EncodedString().utf8)
            return String(decoding: digits[((place * 8 + 5) / 6)..<((place + secret.count) * 8 / 6)], as: UTF8.self)
        }
        let plain = Set(UInt8(ascii: "a")...UInt8(ascii: "z")).union(UInt8(ascii: "A")...UInt8(ascii: "Z")).union("0123456789-._~".utf8)
        func percent(keeping kept: Set<UInt8>, _ digits: (UInt8) -> String) -> String {
            secret.map { kept.contains($0) ? String(UnicodeScalar($0)) : "%" + digits($0) }.joined()
        }
        let lower: (UInt8) -> String = { HexText.encode([$0]) }
        let upper: (UInt8) -> String = { HexText.encode([$0]).uppercased() }
        let texts = base64 + base64.map { $0.replacing("+", with: "-").replacing("/", with: "_") }
            + [plain, []].flatMap { [percent(keeping: $0, lower), percent(keeping: $0, upper)] }
            + [secret.map(lower).joined(), secret.map(upper).joined()]
        return Set(texts.map { Array($0.utf8) })
    }

    /// The text with each piece of the secret replaced.
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

    /// How many bytes at the end of an unfinished text may belong to the secret.
    public func lengthAtEnd(of text: String) -> Int {
        let bytes = Array(text.utf8)
        let last = ranges(in: bytes).last
        let longest = min((lengths.max() ?? 1) - 1, bytes.count)
        let begun = stride(from: longest, to: 0, by: -1).first { count in
            forms.contains { $0.contains(bytes: bytes.suffix(count)) }
        } ?? 0
        guard let last, last.upperBound >= bytes.count - begun else { return begun }
        return bytes.count - last.lowerBound
    }

    private func ranges(in text: [UInt8]) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        for start in text.indices {
            let ends = lengths.map { start + $0 }.filter { $0 <= text.count && pieces.contains(text[start..<$0]) }
            guard let end = ends.max() else { continue }
            if let last = ranges.last, start <= last.upperBound {
                ranges[ranges.count - 1] = last.lowerBound..<max(last.upperBound, end)
            } else {
                ranges.append(start..<end)
            }
        }
        return ranges
    }
}
