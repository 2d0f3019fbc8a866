extension FixedWidthInteger {
    var littleEndianBytes: [UInt8] { withUnsafeBytes(of: littleEndian, Array.init) }

    /// Missing bytes are 0, excess bytes are ignored.
    init(littleEndian bytes: some Collection<UInt8>) {
        self = bytes.prefix(Self.bitWidth / 8).enumerated().reduce(0) { $0 | Self(truncatingIfNeeded: $1.element) << (8 * $1.offset) }
    }
}

/// NOR flash, by loops over memory: a debug build is slow in loops over collections.
extension [UInt8] {
    mutating func erase(_ range: Range<Int>) {
        withUnsafeMutableBytes { _ = UnsafeMutableRawBufferPointer(rebasing: $0[range]).initializeMemory(as: UInt8.self, repeating: 0xFF) }
    }

    /// Programming only clears bits.
    mutating func program(_ data: ArraySlice<UInt8>, at address: Int) {
        withUnsafeMutableBufferPointer { bytes in
            data.withUnsafeBufferPointer { data in
                var index = 0
                while index < data.count {
                    bytes[address + index] &= data[index]
                    index += 1
                }
            }
        }
    }
}
