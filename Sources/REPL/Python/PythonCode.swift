/// Source text without the bytes that the REPL or the unit would act on: 0x00…0x05 and 0x1C.
public struct PythonCode: Sendable, Hashable {
    public let bytes: [UInt8]

    /// Two commands of this size, with their ^D, fit the 1023 usable bytes of the unit's ring.
    public static let maximumPipelinedByteCount = 490

    /// Empty text becomes an empty line: a bare ^D would be a soft reset.
    public init(bytes: [UInt8]) throws {
        if let offset = bytes.firstIndex(where: { $0 <= Control.paste || $0 == Control.safeMode }) {
            throw REPLError.forbiddenByte(bytes[offset], offset: offset)
        }
        self.bytes = bytes.isEmpty ? [0x0A] : bytes
    }

    public init(_ text: String) throws { try self.init(bytes: Array(text.utf8)) }
}

/// Python source text for values of any content, without the bytes that ``PythonCode`` refuses and without line ends, which the
/// lexer would fold into 0x0A. All other bytes are sent unchanged.
public enum PythonLiteral {
    private static let syntax = StringLiteral(radix: 8, quote: UInt8(ascii: "'")) { $0 > Control.paste && $0 != Control.safeMode }

    public static func bytes(_ value: some Sequence<UInt8>) -> [UInt8] { [UInt8(ascii: "b")] + quoted(Array(value)) }

    public static func string(_ value: String) -> [UInt8] { quoted(Array(value.utf8)) }

    /// Source bytes for one byte inside a literal quoted with `'`, given the byte after it.
    package static func cost(of byte: UInt8, before next: UInt8?) -> Int { syntax.cost(of: byte, before: next) }

    /// As many bytes as fit a literal of `room` bytes without its quotes; at least one.
    package static func prefix(of bytes: ArraySlice<UInt8>, room: Int) -> ArraySlice<UInt8> { syntax.prefix(of: bytes, room: room) }

    private static func quoted(_ value: [UInt8]) -> [UInt8] {
        let double = UInt8(ascii: "\"")
        return syntax.text(of: value, quote: value.contains(syntax.quote) && !value.contains(double) ? double : syntax.quote)
    }
}
