/// Repeatable pseudo-random bytes (SplitMix64): the same seed gives the same image on every machine and toolchain.
struct Noise {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func word() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func byte() -> UInt8 { UInt8(truncatingIfNeeded: word() >> 24) }

    /// A whole number of the range; the bias of the remainder is far below what an image could show.
    mutating func number(in range: ClosedRange<Int>) -> Int {
        range.lowerBound + Int(word() % UInt64(range.upperBound - range.lowerBound + 1))
    }
}

extension [UInt8] {
    /// The text between two zero bytes, so that nothing before or after it runs into it.
    static func text(_ text: String) -> [UInt8] { [0] + Array(text.utf8) + [0] }

    /// Replaces the bytes from `offset` on.
    mutating func place(_ bytes: [UInt8], at offset: Int) {
        replaceSubrange(offset..<(offset + bytes.count), with: bytes)
    }
}
