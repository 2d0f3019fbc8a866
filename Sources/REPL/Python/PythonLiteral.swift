/// Python source text for values of any content, free of every byte the link gives a meaning to.
///
/// The text holds no 0x00…0x05 and 0x1C (control characters of the REPL and of the Monocle) and no line ends, which the
/// lexer would fold into 0x0A. All other bytes travel as they are. The shortest escape wins.
public enum PythonLiteral {
    /// A `bytes` literal, quotes and prefix included.
    public static func bytes(_ value: some Sequence<UInt8>) -> [UInt8] {
        [UInt8(ascii: "b")] + quoted(Array(value))
    }

    /// A `str` literal, quotes included.
    public static func string(_ value: String) -> [UInt8] {
        quoted(Array(value.utf8))
    }

    /// How many bytes of source text one byte needs inside a literal quoted with `'`, by the byte after it.
    public static func cost(of byte: UInt8, before next: UInt8?) -> Int {
        switch byte {
        case 0...5: isOctalDigit(next) ? 4 : 2
        case Control.safeMode: isOctalDigit(next) ? 4 : 3
        case 0x0A, 0x0D, UInt8(ascii: "\\"), UInt8(ascii: "'"): 2
        default: 1
        }
    }

    private static func quoted(_ value: [UInt8]) -> [UInt8] {
        let single = UInt8(ascii: "'"), double = UInt8(ascii: "\"")
        let quote = value.contains(single) && !value.contains(double) ? double : single
        var text: [UInt8] = [quote]
        text.reserveCapacity(value.count + value.count / 4 + 2)
        for (index, byte) in value.enumerated() {
            appendEscaped(byte, before: index + 1 < value.count ? value[index + 1] : nil, quote: quote, to: &text)
        }
        text.append(quote)
        return text
    }

    private static func appendEscaped(_ byte: UInt8, before next: UInt8?, quote: UInt8, to text: inout [UInt8]) {
        let backslash = UInt8(ascii: "\\")
        switch byte {
        case 0...5 where isOctalDigit(next): text += [backslash, 0x30, 0x30, 0x30 + byte]
        case 0...5: text += [backslash, 0x30 + byte]
        case Control.safeMode where isOctalDigit(next): text += Array(#"\034"#.utf8)
        case Control.safeMode: text += Array(#"\34"#.utf8)
        case 0x0A: text += [backslash, UInt8(ascii: "n")]
        case 0x0D: text += [backslash, UInt8(ascii: "r")]
        case backslash, quote: text += [backslash, byte]
        default: text.append(byte)
        }
    }

    /// An octal escape takes up to three digits, so a digit that follows a shorter one would be swallowed.
    private static func isOctalDigit(_ byte: UInt8?) -> Bool {
        byte.map { (0x30...0x37).contains($0) } ?? false
    }
}
