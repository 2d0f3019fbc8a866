/// Reads the fields of one protobuf message, as nanopb does in the bootloader: unknown fields are skipped by their wire
/// type, groups are an error, a zero tag ends the message, and what then is left of an inner one is an error.
struct BootloaderWireReader {
    enum Value {
        case varint(UInt64)
        case bytes(ArraySlice<UInt8>)
        /// A fixed-width number: no field of an init packet has one.
        case fixed
    }

    struct Malformed: Error {}

    private var rest: ArraySlice<UInt8>
    private let isInner: Bool

    init(_ bytes: ArraySlice<UInt8>, isInner: Bool = true) {
        rest = bytes
        self.isInner = isInner
    }

    /// The next field, or `nil` at the end of the message.
    mutating func next() throws -> (number: UInt64, value: Value)? {
        guard !rest.isEmpty else { return nil }
        let tag = try varint()
        guard tag != 0 else {
            if isInner, !rest.isEmpty { throw Malformed() }
            return nil
        }
        switch tag & 7 {
        case 0: return (tag >> 3, .varint(try varint()))
        case 1: return (tag >> 3, try fixed(8))
        case 2:
            let length = try varint()
            guard length <= UInt64(rest.count) else { throw Malformed() }
            return (tag >> 3, .bytes(take(Int(length))))
        case 5: return (tag >> 3, try fixed(4))
        default: throw Malformed()
        }
    }

    /// Reads bare varints to the end: a packed repeated field.
    mutating func packedNumbers() throws -> [UInt32] {
        var numbers: [UInt32] = []
        while !rest.isEmpty { numbers.append(try Value.varint(varint()).number()) }
        return numbers
    }

    private mutating func varint() throws -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 70, by: 7) {
            guard let byte = rest.popFirst() else { throw Malformed() }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
        }
        throw Malformed()
    }

    private mutating func fixed(_ count: Int) throws -> Value {
        guard rest.count >= count else { throw Malformed() }
        _ = take(count)
        return .fixed
    }

    private mutating func take(_ count: Int) -> ArraySlice<UInt8> {
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }
}

extension BootloaderWireReader.Value {
    func number() throws -> UInt32 {
        guard case .varint(let value) = self, let number = UInt32(exactly: value) else {
            throw BootloaderWireReader.Malformed()
        }
        return number
    }

    /// - Parameter limit: the size of the field's array in the bootloader's memory.
    func content(limit: Int = .max) throws -> ArraySlice<UInt8> {
        guard case .bytes(let bytes) = self, bytes.count <= limit else { throw BootloaderWireReader.Malformed() }
        return bytes
    }
}
