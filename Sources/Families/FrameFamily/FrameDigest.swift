import Support

/// A 64-bit digest as `FrameFiles` computes it on a unit: 2 Lua instructions a byte, where CRC-32 needs 10 and SHA-256 some hundred (a
/// unit executes perhaps a million a second).
///
/// An invertible step mixes in each eight-byte word, so one changed word always shows, and several go unnoticed with a chance of one in
/// 2⁶⁴. It guards against accidents, and starts from a different `seed` each time. The set's SHA-256 is in its main script.
struct FrameDigest {
    private static let factor: UInt64 = 0x9E37_79B9_7F4A_7C15
    private static let shift: UInt64 = 29

    /// 16 hexadecimal digits, as the unit prints them.
    static func of(_ bytes: some Collection<UInt8>, seed: Int64) -> String {
        var state = UInt64(bitPattern: seed)
        var word: UInt64 = 0
        var count: UInt64 = 0
        func mix(_ word: UInt64) {
            state = (state ^ word) &* factor
            state ^= state >> shift
        }
        for byte in bytes {
            word |= UInt64(byte) << (8 * (count % 8))
            count += 1
            if count % 8 == 0 {
                mix(word)
                word = 0
            }
        }
        if count % 8 != 0 { mix(word) }
        mix(count)
        return HexText.encode(withUnsafeBytes(of: state.bigEndian, Array.init))
    }
}
