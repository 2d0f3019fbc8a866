/// SplitMix64: the same cases on every machine.
package struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    package mutating func bytes(count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: 0...255, using: &self) }
    }

    package static func bytes(_ count: Int, seed: UInt64) -> [UInt8] {
        var numbers = SeededNumbers(seed: seed)
        return numbers.bytes(count: count)
    }

    /// One to four changes anywhere: bits, bytes, pieces lost or doubled, a cut end.
    package mutating func mutation(of good: [UInt8]) -> [UInt8] {
        var bytes = good
        for _ in 0..<Int.random(in: 1...4, using: &self) where !bytes.isEmpty {
            let index = Int.random(in: 0..<bytes.count, using: &self)
            switch Int.random(in: 0..<6, using: &self) {
            case 0: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &self)
            case 1: bytes[index] = UInt8.random(in: 0...255, using: &self)
            case 2: bytes.removeSubrange(index..<min(bytes.count, index + Int.random(in: 1...64, using: &self)))
            case 3: bytes.insert(contentsOf: bytes[index..<min(bytes.count, index + 40)], at: index)
            case 4: bytes[index] = 0xFF
            default: bytes.removeLast(min(bytes.count, Int.random(in: 0...200, using: &self)))
            }
        }
        return bytes
    }

    /// Cuts bytes anywhere.
    package mutating func fragments(of bytes: [UInt8]) -> [[UInt8]] {
        var rest = bytes[...]
        var pieces: [[UInt8]] = []
        while !rest.isEmpty {
            let piece = rest.prefix(Int.random(in: 1...min(12, rest.count), using: &self))
            pieces.append(Array(piece))
            rest = rest.dropFirst(piece.count)
        }
        return pieces
    }
}
