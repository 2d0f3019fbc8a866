/// Small bitstreams in the form of the vendor's tools (YosysHQ/apicula, `doc/commandstructure.md`).
package enum BitstreamBytes {
    package static let monocleID: [UInt8] = [0x11, 0x00, 0x48, 0x1B]
    /// Where the first frame begins, and how long each is.
    package static let firstFrame = 68
    package static let frameByteCount = 363

    package static func make(
        frames: Int = 3, id: [UInt8] = monocleID, seed: UInt64 = 1, isCompressed: Bool = false, hasCRC: Bool = true, text: String = ""
    ) -> [UInt8] {
        var generator = SeededNumbers(seed: seed)
        var covered: [UInt8] = [0x06, 0, 0, 0] + id + [0x10, 0, 0, 0, 0, 0xD4, isCompressed ? 0x20 : 0, 0]
        covered += [0x51, 0] + [UInt8](repeating: 0xFF, count: 6) + [0x0B, 0, 0, 0]
        var bytes = [UInt8](repeating: 0xFF, count: 22) + [0xA5, 0xC3] + covered + [0xD2, 0, 0xFF, 0xFF, 0, 0, 0, 0]
        let last: [UInt8] = [0x12, 0, 0, 0, 0x3B, hasCRC ? 0x80 : 0, UInt8(frames >> 8), UInt8(frames & 0xFF)]
        bytes += last
        covered += last
        for number in 0..<frames {
            var frame = generator.bytes(count: 355)
            if number == 0 { frame.replaceSubrange(0..<text.utf8.count, with: Array(text.utf8)) }
            bytes += frame + crc(covered + frame) + [UInt8](repeating: 0xFF, count: 6)
            covered = [UInt8](repeating: 0xFF, count: 6)
        }
        return bytes + [UInt8](repeating: 0xFF, count: 18) + [0x34, 0x73, 0x0A, 0, 0, 0, 0, 0, 0, 0, 0x08, 0, 0, 0, 0xFF, 0xFF]
    }

    /// CRC-16/ARC, the lower byte first.
    package static func crc(_ bytes: [UInt8]) -> [UInt8] {
        let crc = bytes.reduce(UInt16(0)) { crc, byte in
            (0..<8).reduce(crc ^ UInt16(byte)) { value, _ in value & 1 == 0 ? value >> 1 : value >> 1 ^ 0xA001 }
        }
        return [UInt8(crc & 0xFF), UInt8(crc >> 8)]
    }
}

/// Shaped like a real image of the FPGA: more than half zeros, in runs, a blank end.
package func developmentImage(seed: UInt64) -> [UInt8] {
    var generator = SeededNumbers(seed: seed)
    var bytes: [UInt8] = []
    while bytes.count < 440_000 {
        bytes += generator.bytes(count: Int.random(in: 1...120, using: &generator))
        bytes += [UInt8](repeating: 0, count: Int.random(in: 1...200, using: &generator))
    }
    return bytes
}
