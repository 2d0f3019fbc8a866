import Support

/// A PNG file's pixels on black (RFC 2083), of every kind but the interlaced ones.
struct PNGReader {
    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    private struct Header {
        var width: Int
        var height: Int
        var depth: Int
        var colourType: UInt8

        var channels: Int {
            switch colourType {
            case 2: 3
            case 4: 2
            case 6: 4
            default: 1
            }
        }

        var rowBytes: Int { (width * channels * depth + 7) / 8 }
        var pixelBytes: Int { max(1, channels * depth / 8) }
    }

    private let header: Header
    private var palette: [UInt8] = []
    private var rows: [UInt8] = []

    static func read(_ bytes: [UInt8]) throws(PictureFile.Fault) -> PixelPicture {
        let reader = try PNGReader(bytes)
        guard let picture = PixelPicture(width: reader.header.width, height: reader.header.height, pixels: try reader.pixels()) else {
            throw .init("it is incomplete")
        }
        return picture
    }

    private init(_ bytes: [UInt8]) throws(PictureFile.Fault) {
        var header: Header?
        var hasEnded = false
        var packed: [UInt8] = []
        var rest = bytes.dropFirst(Self.signature.count)
        while !hasEnded, let chunk = try Self.chunk(&rest) {
            switch chunk.name {
            case "IHDR": header = try Self.header(Array(chunk.data))
            case "PLTE": palette = Array(chunk.data)
            case "IDAT": packed += chunk.data
            case "IEND": hasEnded = true
            default: break
            }
        }
        guard let header, hasEnded else { throw .init("it is incomplete") }
        self.header = header
        let count = (header.rowBytes + 1) * header.height
        guard let filtered = Inflate.zlib(packed, limit: count), filtered.count == count else { throw .init("its data is broken") }
        rows = try Self.unfiltered(filtered, header)
    }

    /// - Returns: `nil` at the end of the file.
    private static func chunk(_ rest: inout ArraySlice<UInt8>) throws(PictureFile.Fault) -> (name: String, data: ArraySlice<UInt8>)? {
        if rest.isEmpty { return nil }
        guard rest.count >= 12 else { throw .init("it is incomplete") }
        let size = number(rest.prefix(4))
        guard size <= rest.count - 12 else { throw .init("it is incomplete") }
        let content = rest.dropFirst(4).prefix(4 + size)
        guard CRC32.of(Array(content)) == UInt32(number(rest.dropFirst(8 + size).prefix(4))) else { throw .init("a checksum is wrong") }
        rest = rest.dropFirst(12 + size)
        return (String(decoding: content.prefix(4), as: UTF8.self), content.dropFirst(4))
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }

    private static func header(_ data: [UInt8]) throws(PictureFile.Fault) -> Header {
        guard data.count == 13 else { throw .init("its header is broken") }
        let header = Header(width: number(data[0..<4]), height: number(data[4..<8]), depth: Int(data[8]), colourType: data[9])
        guard PixelPicture.isUsable(width: header.width, height: header.height) else {
            throw .init("it has \(header.width) × \(header.height) pixels")
        }
        let depths: [UInt8: [Int]] = [0: [1, 2, 4, 8, 16], 2: [8, 16], 3: [1, 2, 4, 8], 4: [8, 16], 6: [8, 16]]
        guard depths[header.colourType]?.contains(header.depth) == true, data[10] == 0, data[11] == 0 else {
            throw .init("its header is broken")
        }
        guard data[12] == 0 else { throw .init("it is interlaced; save it without interlacing") }
        return header
    }

    // MARK: - Rows

    private static func unfiltered(_ filtered: [UInt8], _ header: Header) throws(PictureFile.Fault) -> [UInt8] {
        var rows: [UInt8] = []
        rows.reserveCapacity(header.rowBytes * header.height)
        var above = [UInt8](repeating: 0, count: header.rowBytes)
        for row in 0..<header.height {
            let start = row * (header.rowBytes + 1)
            var line = Array(filtered[start + 1..<start + 1 + header.rowBytes])
            try unfilter(&line, filtered[start], above: above, step: header.pixelBytes)
            rows += line
            above = line
        }
        return rows
    }

    private static func unfilter(_ line: inout [UInt8], _ filter: UInt8, above: [UInt8], step: Int) throws(PictureFile.Fault) {
        guard filter <= 4 else { throw .init("its data is broken") }
        if filter == 0 { return }
        for index in line.indices {
            let left = index >= step ? line[index - step] : 0
            let corner = index >= step ? above[index - step] : 0
            let guess: UInt8 = switch filter {
            case 1: left
            case 2: above[index]
            case 3: UInt8((Int(left) + Int(above[index])) / 2)
            default: paeth(Int(left), Int(above[index]), Int(corner))
            }
            line[index] &+= guess
        }
    }

    private static func paeth(_ left: Int, _ above: Int, _ corner: Int) -> UInt8 {
        let (a, b, c) = (abs(above - corner), abs(left - corner), abs(left + above - 2 * corner))
        return UInt8(a <= b && a <= c ? left : b <= c ? above : corner)
    }

    // MARK: - Pixels

    private func pixels() throws(PictureFile.Fault) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(header.width * header.height * 3)
        for row in 0..<header.height {
            for column in 0..<header.width {
                let values = (0..<header.channels).map { sample(row: row, index: column * header.channels + $0) }
                result += try colour(values)
            }
        }
        return result
    }

    /// The upper 8 bits, or all where there are fewer.
    private func sample(row: Int, index: Int) -> UInt8 {
        let start = row * header.rowBytes
        switch header.depth {
        case 8: return rows[start + index]
        case 16: return rows[start + index * 2]
        default:
            let bit = index * header.depth
            return rows[start + bit / 8] >> UInt8(8 - header.depth - bit % 8) & UInt8(1 << header.depth - 1)
        }
    }

    private func colour(_ values: [UInt8]) throws(PictureFile.Fault) -> [UInt8] {
        switch header.colourType {
        case 3:
            let start = Int(values[0]) * 3
            guard start + 3 <= palette.count else { throw .init("its data is broken") }
            return Array(palette[start..<start + 3])
        case 0:
            let grey = header.depth < 8 ? UInt8(Int(values[0]) * 255 / (1 << header.depth - 1)) : values[0]
            return [grey, grey, grey]
        case 4: return [UInt8](repeating: Self.shaded(values[0], by: values[1]), count: 3)
        case 6: return values[0..<3].map { Self.shaded($0, by: values[3]) }
        default: return values
        }
    }

    private static func shaded(_ value: UInt8, by opacity: UInt8) -> UInt8 { UInt8(Int(value) * Int(opacity) / 255) }
}
