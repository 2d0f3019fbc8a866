/// CRC-32 as zlib and MicroPython's `binascii.crc32` compute it: reflected polynomial 0xEDB88320.
public struct ZlibCRC32: Sendable {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
    }

    private var state: UInt32 = 0xFFFF_FFFF

    public init() {}

    /// Goes on behind bytes whose CRC is known.
    public init(resumingFrom value: UInt32) { state = ~value }

    public var value: UInt32 { ~state }

    public mutating func update(_ bytes: some Sequence<UInt8>) {
        state = Self.table.withUnsafeBufferPointer { table in
            bytes.reduce(state) { table[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] ^ $0 >> 8 }
        }
    }

    public mutating func update(_ byte: UInt8, count: Int) {
        update(repeatElement(byte, count: count))
    }

    /// Undoes the update by a last byte.
    public mutating func takeBack(_ byte: UInt8) {
        // The highest bytes of the table are all different, so the entry that was used shows.
        let index = Self.indexOfHighByte[Int(state >> 24)]
        state = (state ^ Self.table[Int(index)]) << 8 | UInt32(index ^ byte)
    }

    private static let indexOfHighByte: [UInt8] = {
        var indices = [UInt8](repeating: 0, count: 256)
        for (index, entry) in table.enumerated() { indices[Int(entry >> 24)] = UInt8(index) }
        return indices
    }()

    public static func of(_ bytes: some Sequence<UInt8>) -> UInt32 {
        var crc = ZlibCRC32()
        crc.update(bytes)
        return crc.value
    }
}
