/// A zip writer that can lie: every field is taken as given. Written from PKWARE's APPNOTE.
package struct RawZip {
    package struct Entry {
        package var name: [UInt8]
        package var data: [UInt8]
        package var method: UInt16 = 0
        /// General-purpose bits; bit 0 says that it is encrypted.
        package var flags: UInt16 = 0
        package var statedSize: UInt32
        package var crc: UInt32
        /// Unix mode and MS-DOS attributes.
        package var attributes: UInt32 = 0

        package init(_ name: String, _ content: [UInt8]) {
            self.name = Array(name.utf8)
            data = content
            statedSize = UInt32(content.count)
            crc = referenceCRC(content)
        }
    }

    package var entries: [Entry]
    package var statedCount: UInt16?
    /// Bytes between the directory and the record of its end.
    package var gap: [UInt8] = []

    package init(entries: [Entry]) { self.entries = entries }

    package var bytes: [UInt8] {
        var body: [UInt8] = []
        var directory: [UInt8] = []
        for entry in entries {
            let offset = UInt32(body.count)
            let common =
                little(UInt16(20)) + little(entry.flags) + little(entry.method) + little(UInt16(0))
                + little(UInt16(0x21)) + little(entry.crc) + little(UInt32(entry.data.count))
                + little(entry.statedSize) + little(UInt16(entry.name.count)) + little(UInt16(0))
            body += little(UInt32(0x0403_4B50)) + common + entry.name + entry.data
            directory += little(UInt32(0x0201_4B50)) + [20, 3] + common + little(UInt16(0))
            directory += little(UInt16(0)) + little(UInt16(0)) + little(entry.attributes) + little(offset) + entry.name
        }
        let count = little(statedCount ?? UInt16(entries.count))
        return body + directory + gap + little(UInt32(0x0605_4B50)) + [0, 0, 0, 0] + count + count
            + little(UInt32(directory.count)) + little(UInt32(body.count)) + [0, 0]
    }

    /// A deflate stream of zeros: a literal 0, then matches of 258 bytes at distance 1, in fixed Huffman codes
    /// (RFC 1951). 1 MiB takes about 6.6 KiB.
    package static func deflatedZeros(matches: Int) -> (stream: [UInt8], length: Int) {
        var bits: [Bool] = []
        func put(_ code: UInt32, _ width: Int) {
            for bit in (0..<width).reversed() { bits.append(code >> UInt32(bit) & 1 == 1) }
        }
        bits += [true, true, false]
        put(0b0011_0000, 8)
        for _ in 0..<matches {
            put(0b1100_0101, 8)
            put(0, 5)
        }
        put(0, 7)
        var stream = [UInt8](repeating: 0, count: (bits.count + 7) / 8)
        for (index, bit) in bits.enumerated() where bit { stream[index / 8] |= 1 << UInt8(index % 8) }
        return (stream, 1 + 258 * matches)
    }
}

/// CRC-32, bit by bit: independent of the table under test.
package func referenceCRC(_ bytes: some Sequence<UInt8>) -> UInt32 {
    var register: UInt32 = 0xFFFF_FFFF
    for byte in bytes {
        register ^= UInt32(byte)
        for _ in 0..<8 { register = register & 1 == 1 ? register >> 1 ^ 0xEDB8_8320 : register >> 1 }
    }
    return ~register
}

package func little(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) } }
package func little(_ value: UInt16) -> [UInt8] { (0..<2).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) } }
