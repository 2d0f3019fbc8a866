/// Lua source text that can travel to a unit.
public struct LuaCode: Sendable, Hashable {
    public let bytes: [UInt8]

    /// More is no command: the unit keeps all of it in its heap of 170 kB twice (frame-codebase, `section_layout.ld`).
    public static let byteCountLimit = 16_384

    /// - Throws: ``REPLError/forbiddenByte(_:offset:)`` for 0x00, which ends a command on the unit;
    ///   ``REPLError/codeTooLong(byteCount:limit:)``.
    public init(bytes: [UInt8]) throws {
        if let offset = bytes.firstIndex(of: 0) { throw REPLError.forbiddenByte(0, offset: offset) }
        guard bytes.count <= Self.byteCountLimit else {
            throw REPLError.codeTooLong(byteCount: bytes.count, limit: Self.byteCountLimit)
        }
        self.bytes = bytes
    }

    /// - Throws: as ``init(bytes:)``.
    public init(_ text: String) throws { try self.init(bytes: Array(text.utf8)) }
}
