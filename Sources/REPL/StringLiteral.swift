/// How a language writes a string of any bytes. A numeric escape takes up to three digits, so one before a digit has three.
struct StringLiteral: Sendable {
    private static let backslash = UInt8(ascii: "\\")

    /// Base of numeric escapes.
    let radix: UInt8
    let quote: UInt8
    /// Whether a byte needs no escape; quotes, backslashes and line ends always do.
    let isPlain: @Sendable (UInt8) -> Bool

    func text(of bytes: [UInt8], quote: UInt8) -> [UInt8] {
        var text: [UInt8] = [quote]
        text.reserveCapacity(bytes.count + bytes.count / 4 + 2)
        for (index, byte) in bytes.enumerated() {
            switch byte {
            case quote, Self.backslash: text += [Self.backslash, byte]
            case 0x0A: text += [Self.backslash, UInt8(ascii: "n")]
            case 0x0D: text += [Self.backslash, UInt8(ascii: "r")]
            case _ where isPlain(byte): text.append(byte)
            default:
                let digits = String(byte, radix: Int(radix)).utf8
                let count = digitCount(byte, before: index + 1 < bytes.count ? bytes[index + 1] : nil)
                text += [Self.backslash] + repeatElement(UInt8(ascii: "0"), count: count - digits.count) + digits
            }
        }
        return text + [quote]
    }

    /// Source bytes for one byte, given the byte after it.
    func cost(of byte: UInt8, before next: UInt8?) -> Int {
        switch byte {
        case quote, Self.backslash, 0x0A, 0x0D: 2
        case _ where isPlain(byte): 1
        default: 1 + digitCount(byte, before: next)
        }
    }

    /// As many bytes as fit a literal of `room` bytes without its quotes; at least one.
    func prefix(of bytes: ArraySlice<UInt8>, room: Int) -> ArraySlice<UInt8> {
        var left = room
        var end = bytes.startIndex
        while end < bytes.endIndex {
            left -= cost(of: bytes[end], before: end + 1 < bytes.endIndex ? bytes[end + 1] : nil)
            guard left >= 0 else { break }
            end += 1
        }
        return bytes[..<max(end, min(bytes.startIndex + 1, bytes.endIndex))]
    }

    private func digitCount(_ byte: UInt8, before next: UInt8?) -> Int {
        let isDigitNext = next.map { (0x30..<0x30 + radix).contains($0) } ?? false
        return isDigitNext || byte >= radix * radix ? 3 : byte >= radix ? 2 : 1
    }
}
