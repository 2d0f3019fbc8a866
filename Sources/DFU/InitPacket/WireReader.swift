/// Finds the place of fields in a protobuf message: a signature covers the bytes as they were received.
struct WireReader {
    let bytes: [UInt8]

    /// The value of a length-delimited field, `nil` when it is absent. One that occurs twice is refused: protobuf merges the two, the
    /// bootloader's decoder does not.
    func onlyField(_ number: UInt64, in message: Range<Int>) throws -> Range<Int>? {
        var found: Range<Int>?
        var position = message.lowerBound
        while position < message.upperBound {
            let key = try varint(at: &position, limit: message.upperBound)
            let value = try skipValue(wireType: key & 7, at: &position, limit: message.upperBound)
            guard key >> 3 == number else { continue }
            guard key & 7 == 2 else { throw Self.malformed("field \(number) has the wrong type") }
            guard found == nil else { throw Self.malformed("field \(number) occurs twice") }
            found = value
        }
        return found
    }

    /// The bootloader's decoder stops at a field without a number.
    func checkFields(in message: Range<Int>) throws {
        var position = message.lowerBound
        while position < message.upperBound {
            let key = try varint(at: &position, limit: message.upperBound)
            guard key >> 3 != 0 else { throw Self.malformed("a field has no number") }
            _ = try skipValue(wireType: key & 7, at: &position, limit: message.upperBound)
        }
    }

    private func skipValue(wireType: UInt64, at position: inout Int, limit: Int) throws -> Range<Int> {
        let start = position
        switch wireType {
        case 0:
            _ = try varint(at: &position, limit: limit)
            return start..<position
        case 1: return try take(8, at: &position, limit: limit)
        case 2:
            let length = try varint(at: &position, limit: limit)
            guard let count = Int(exactly: length) else { throw Self.malformed("a length is out of range") }
            return try take(count, at: &position, limit: limit)
        case 5: return try take(4, at: &position, limit: limit)
        default: throw Self.malformed("unknown wire type \(wireType)")
        }
    }

    private func take(_ count: Int, at position: inout Int, limit: Int) throws -> Range<Int> {
        guard count <= limit - position else { throw Self.malformed("a field ends past the packet's end") }
        let range = position..<(position + count)
        position += count
        return range
    }

    private func varint(at position: inout Int, limit: Int) throws -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            guard position < limit else { throw Self.malformed("it is truncated") }
            let byte = bytes[position]
            position += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return value }
        }
        throw Self.malformed("a number is too long")
    }

    private static func malformed(_ reason: String) -> DFUError { .package(.initPacketInvalid(reason: reason)) }
}
