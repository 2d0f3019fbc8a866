/// CRC-32 of IEEE 802.3, reflected, inverted at both ends, as in zip and Nordic's bootloader (nRF5 SDK, `crc32.c`).
public struct CRC32: Sendable, Hashable {
    private static let table: [UInt32] = (0..<256).map { index -> UInt32 in
        var value = UInt32(index)
        for _ in 0..<8 { value = value & 1 == 1 ? (value >> 1) ^ 0xEDB8_8320 : value >> 1 }
        return value
    }

    private var register: UInt32

    /// - Parameter previous: the CRC of the preceding bytes.
    public init(continuing previous: UInt32 = 0) { register = ~previous }

    /// Of all bytes so far.
    public var value: UInt32 { ~register }

    /// Takes more bytes, by a loop over memory: a debug build is slow in loops over collections.
    public mutating func update(_ bytes: ArraySlice<UInt8>) {
        var register = register
        Self.table.withUnsafeBufferPointer { table in
            bytes.withUnsafeBufferPointer { bytes in
                var index = 0
                while index < bytes.count {
                    register = (register >> 8) ^ table[Int((register ^ UInt32(bytes[index])) & 0xFF)]
                    index += 1
                }
            }
        }
        self.register = register
    }

    /// - Parameter previous: as for ``init(continuing:)``.
    public static func of(_ bytes: [UInt8], continuing previous: UInt32 = 0) -> UInt32 {
        var crc = CRC32(continuing: previous)
        crc.update(bytes[...])
        return crc.value
    }
}
