/// CRC-16/ARC, which protects each frame of a Gowin bitstream.
struct CRC16 {
    private static let table: [UInt16] = (0..<256).map { index in
        (0..<8).reduce(UInt16(index)) { value, _ in value & 1 == 0 ? value >> 1 : value >> 1 ^ 0xA001 }
    }

    private var value: UInt16 = 0

    /// The lower byte first, as it stands in a bitstream.
    var bytes: [UInt8] { [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)] }

    mutating func update(_ bytes: some Sequence<UInt8>) {
        let table = Self.table
        value = bytes.reduce(value) { $0 >> 8 ^ table[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] }
    }
}
