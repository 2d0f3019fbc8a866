/// A unit's output for a terminal: text, line ends, backspaces and the few sequences that MicroPython's line editor moves its
/// cursor with. Everything else that a terminal would act upon is escaped.
///
/// `shared/readline/readline.c` and `py/mphal`: `\b`, `ESC [ K`, `ESC [ n D`; a repeated cursor movement is `ESC [ n C`.
struct TerminalFilter {
    /// Parameter digits of a sequence.
    private static let digitLimit = 3

    /// The beginning of a sequence or of a character, at most 6 bytes.
    private var pending: [UInt8] = []

    /// - Parameter bytes: the next ones, cut anywhere.
    mutating func show(_ bytes: [UInt8]) -> String {
        var text = ""
        var rest = (pending + bytes)[...]
        pending = []
        while let byte = rest.first {
            let length = byte == 0x1B ? Self.sequenceLength(rest) : Self.characterLength(rest)
            guard let length else {
                pending = Array(rest)
                break
            }
            text += Self.text(rest.prefix(length))
            rest = rest.dropFirst(length)
        }
        return text
    }

    /// - Returns: `nil` when more has to come; 1 for an escape that begins nothing that is let through.
    private static func sequenceLength(_ bytes: ArraySlice<UInt8>) -> Int? {
        let rest = bytes.dropFirst()
        guard let bracket = rest.first else { return nil }
        guard bracket == UInt8(ascii: "[") else { return 1 }
        let digits = rest.dropFirst().prefix { (0x30...0x39).contains($0) }
        guard digits.count <= digitLimit else { return 1 }
        guard let final = rest.dropFirst(1 + digits.count).first else { return nil }
        return "KCD".utf8.contains(final) ? 3 + digits.count : 1
    }

    private static func characterLength(_ bytes: ArraySlice<UInt8>) -> Int? {
        let wanted = switch bytes.first ?? 0 {
        case 0xC2...0xDF: 2
        case 0xE0...0xEF: 3
        case 0xF0...0xF4: 4
        default: 1
        }
        let continuation = bytes.dropFirst().prefix(wanted - 1).prefix { 0x80...0xBF ~= $0 }
        if continuation.count == wanted - 1 { return wanted }
        return bytes.count < wanted && continuation.count == bytes.count - 1 ? nil : 1
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        if bytes.count > 1, bytes.first == 0x1B { return String(decoding: bytes, as: UTF8.self) }
        guard let decoded = String(validating: bytes, as: UTF8.self) else { return "\u{FFFD}" }
        return decoded.unicodeScalars.map { "\u{8}\t\n\r".unicodeScalars.contains($0) ? String($0) : UntrustedText.escaped($0) }.joined()
    }
}
