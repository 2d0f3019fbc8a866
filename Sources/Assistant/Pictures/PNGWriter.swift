import Support

/// A picture as a PNG file whose data is stored, not compressed (RFC 2083; RFC 1950; RFC 1951, 3.2.4).
enum PNGWriter {
    private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    private static let storedLimit = 0xFFFF

    static func file(_ picture: PixelPicture) -> [UInt8] {
        var header = bigEndian(picture.width) + bigEndian(picture.height)
        // 8 bits a channel, red, green and blue, no interlace.
        header += [8, 2, 0, 0, 0]
        var rows: [UInt8] = []
        rows.reserveCapacity(picture.pixels.count + picture.height)
        for row in 0..<picture.height {
            rows.append(0)
            rows += picture.pixels[row * picture.width * 3..<(row + 1) * picture.width * 3]
        }
        return signature + chunk("IHDR", header) + chunk("IDAT", stored(rows)) + chunk("IEND", [])
    }

    private static func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
        let content = Array(name.utf8) + data
        return bigEndian(data.count) + content + bigEndian(Int(CRC32.of(content)))
    }

    private static func stored(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = [0x78, 0x01]
        var rest = bytes[...]
        repeat {
            let block = rest.prefix(storedLimit)
            rest = rest.dropFirst(block.count)
            let size = UInt16(block.count)
            result += [rest.isEmpty ? 1 : 0, UInt8(size & 0xFF), UInt8(size >> 8), UInt8(~size & 0xFF), UInt8(~size >> 8)]
            result += block
        } while !rest.isEmpty
        return result + bigEndian(Int(Adler32.of(bytes)))
    }

    private static func bigEndian(_ value: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
}

/// RFC 1950, 8.2.
enum Adler32 {
    static func of(_ bytes: [UInt8]) -> UInt32 {
        var (low, high): (UInt32, UInt32) = (1, 0)
        for byte in bytes {
            low = (low + UInt32(byte)) % 65521
            high = (high + low) % 65521
        }
        return high << 16 | low
    }
}
