extension FixedWidthInteger {
    var littleEndianBytes: [UInt8] { withUnsafeBytes(of: littleEndian, Array.init) }

    /// Missing bytes are 0, excess bytes are ignored.
    init(littleEndian bytes: some Collection<UInt8>) {
        self = bytes.prefix(Self.bitWidth / 8).enumerated().reduce(0) { $0 | Self(truncatingIfNeeded: $1.element) << (8 * $1.offset) }
    }
}
