public struct LuaCode: Sendable, Hashable {
    public let bytes: [UInt8]

    /// The unit holds each command twice in its heap of 170 kB (frame-codebase, `section_layout.ld`).
    private static let byteCountLimit = 16_384

    public init(bytes: [UInt8]) throws {
        // A 0 byte ends a command on the unit.
        if let offset = bytes.firstIndex(of: 0) { throw REPLError.forbiddenByte(0, offset: offset) }
        guard bytes.count <= Self.byteCountLimit else {
            throw REPLError.codeTooLong(byteCount: bytes.count, limit: Self.byteCountLimit)
        }
        self.bytes = bytes
    }

    public init(_ text: String) throws { try self.init(bytes: Array(text.utf8)) }
}

/// Lua source text for a string of any content, in printable ASCII only.
///
/// A command to Frame is one write: its first byte decides its kind, a 0 byte ends it, and the prompt may read it as text
/// (frame-codebase, `bluetooth.c`, `luaport.c`). A long bracket would lose a leading line end and could be closed by the
/// content.
public enum LuaLiteral {
    private static let syntax = StringLiteral(radix: 10, quote: UInt8(ascii: "\"")) { (0x20...0x7E).contains($0) }

    public static func string(_ value: some Collection<UInt8>) -> [UInt8] { syntax.text(of: Array(value), quote: syntax.quote) }

    /// As many bytes as fit a literal of `room` bytes without its quotes; at least one.
    public static func prefix(of bytes: ArraySlice<UInt8>, room: Int) -> ArraySlice<UInt8> { syntax.prefix(of: bytes, room: room) }
}
