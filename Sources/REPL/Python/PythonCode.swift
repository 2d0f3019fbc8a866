/// Source text that can travel to a unit: it is known to hold no byte that the REPL or the unit would act upon.
public struct PythonCode: Sendable, Hashable {
    /// UTF-8 source text.
    public let bytes: [UInt8]

    /// Two commands of this many bytes, with their ^D, fit the unit's ring of 1023 usable bytes.
    public static let maximumPipelinedByteCount = 490

    /// Empty text becomes an empty line: nothing at all before the ^D would be a soft reset.
    /// - Throws: ``REPLError/forbiddenByte(_:offset:)`` for 0x00…0x05 and 0x1C.
    public init(bytes: [UInt8]) throws {
        if let offset = bytes.firstIndex(where: { $0 <= Control.paste || $0 == Control.safeMode }) {
            throw REPLError.forbiddenByte(bytes[offset], offset: offset)
        }
        self.bytes = bytes.isEmpty ? [0x0A] : bytes
    }

    /// - Throws: as ``init(bytes:)``.
    public init(_ text: String) throws {
        try self.init(bytes: Array(text.utf8))
    }
}
