/// Lua source text for a string of any content, in printable ASCII alone.
///
/// A command to Frame is one write: its first byte decides what it is, a 0 byte ends it, and its prompt may take it
/// through text (frame-codebase, `bluetooth.c`, `luaport.c`). A long bracket would lose a leading line end and could be
/// closed by the content, so everything else is escaped: Lua reads up to three decimal digits.
public enum LuaLiteral {
    /// The literal, quotes included.
    public static func string(_ value: some Collection<UInt8>) -> [UInt8] {
        let bytes = Array(value)
        var text: [UInt8] = [quote]
        for (index, byte) in bytes.enumerated() {
            append(byte, before: index + 1 < bytes.count ? bytes[index + 1] : nil, to: &text)
        }
        return text + [quote]
    }

    /// How many bytes of source text one byte needs, by the byte after it.
    public static func cost(of byte: UInt8, before next: UInt8?) -> Int {
        var text: [UInt8] = []
        append(byte, before: next, to: &text)
        return text.count
    }

    /// As much as a literal of `room` bytes, without its quotes, can hold; one byte at least.
    public static func prefix(of bytes: ArraySlice<UInt8>, room: Int) -> ArraySlice<UInt8> {
        var left = room
        var end = bytes.startIndex
        while end < bytes.endIndex {
            left -= cost(of: bytes[end], before: end + 1 < bytes.endIndex ? bytes[end + 1] : nil)
            guard left >= 0 else { break }
            end += 1
        }
        return bytes[bytes.startIndex..<max(end, min(bytes.startIndex + 1, bytes.endIndex))]
    }

    private static let quote = UInt8(ascii: "\"")

    private static func append(_ byte: UInt8, before next: UInt8?, to text: inout [UInt8]) {
        switch byte {
        case quote, UInt8(ascii: "\\"): text += [UInt8(ascii: "\\"), byte]
        case 0x0A: text += Array("\\n".utf8)
        case 0x0D: text += Array("\\r".utf8)
        case 0x20...0x7E: text.append(byte)
        default:
            let digits = String(byte)
            // A digit that follows a shorter escape would be swallowed.
            let isDigitNext = next.map { (0x30...0x39).contains($0) } ?? false
            text += Array("\\".utf8) + Array(repeating: 0x30, count: isDigitNext ? 3 - digits.count : 0) + Array(digits.utf8)
        }
    }
}
