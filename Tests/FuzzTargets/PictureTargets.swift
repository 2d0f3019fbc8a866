import Assistant
import Support

extension FuzzTarget {
    static let picture = FuzzTarget("picture", seeds: { [Samples.png(), Samples.ppm, Samples.pgm] }) { try examine($0) }

    /// Checksums would keep a fuzzer out of what is in a PNG file: here it writes the header's last five bytes, the sizes, the palette's
    /// length and the compressed pixels alone.
    static let pngContent = FuzzTarget("png-content", seeds: { Samples.pngContents }) { input in
        let head = (0..<8).map { $0 < input.count ? input[$0] : 0 }
        let rest = input.dropFirst(8)
        let palette = rest.prefix(Int(head[7]) * 3)
        let size: (UInt8) -> [UInt8] = { [0, 0, $0 >> 6, $0 & 63] }
        try examine(Samples.png(
            header: size(head[0]) + size(head[1]) + head[2..<7], palette: Array(palette), data: Array(rest.dropFirst(palette.count))))
    }

    private static func examine(_ input: [UInt8]) throws {
        do {
            let picture = try PictureFile.read(input)
            try BrokenPromise.check(picture.pixels.count == picture.width * picture.height * 3, "pixels are missing")
            try BrokenPromise.check(picture.width * picture.height <= PixelPicture.areaLimit, "the picture is too large")
        } catch let fault as PictureFile.Fault {
            try BrokenPromise.check(!fault.reason.isEmpty, "a refusal without words")
        }
    }
}

extension Samples {
    static let ppm = Array("P6 # two\n2 1\n255\n".utf8) + [255, 0, 0, 0, 255, 0]
    static let pgm = Array("P5\n2 2\n15\n".utf8) + [0, 5, 10, 15]

    /// Two rows of two grey pixels, each row behind its filter, stored without compression.
    private static let pixels: [UInt8] = [0x78, 0x01, 1, 6, 0, 0xF9, 0xFF, 0, 1, 2, 2, 3, 4, 0, 0x23, 0, 0x0D]
    /// One row of two bytes, by the fixed code.
    private static let short: [UInt8] = [0x78, 0x9C, 0x63, 0x60, 0x64, 2, 0, 0, 7, 0, 4]
    /// Ten rows of 24 bytes behind filters of all kinds, by codes of their own (RFC 1951, 3.2.7).
    private static let coded: [UInt8] = [
        120, 218, 21, 143, 203, 13, 68, 81, 8, 66, 71, 121, 36, 108, 232, 131, 154, 236, 191, 144, 225, 46, 52, 126, 240, 168,
        63, 121, 142, 131, 245, 49, 203, 97, 132, 96, 113, 3, 204, 144, 128, 92, 223, 242, 56, 77, 214, 219, 104, 101, 157, 113,
        135, 121, 245, 73, 173, 49, 184, 60, 183, 181, 214, 148, 102, 195, 90, 125, 86, 137, 170, 96, 51, 108, 59, 69, 159, 137,
        31, 178, 136, 49, 93, 122, 165, 249, 244, 154, 85, 161, 244, 61, 121, 61, 111, 149, 84, 81, 83, 189, 154, 229, 206, 116,
        15, 192, 78, 108, 16, 9, 195, 34, 88, 85, 173, 223, 160, 79, 229, 156, 253, 72, 247, 68, 229, 161, 222, 221, 70, 226, 3,
        254, 164, 143, 18, 146,
    ]

    static let pngContents: [[UInt8]] = [
        [2, 2, 8, 0, 0, 0, 0, 0] + pixels, [2, 2, 8, 3, 0, 0, 0, 5] + [UInt8](repeating: 9, count: 15) + pixels,
        [1, 1, 16, 0, 0, 0, 0, 0] + short, [1, 1, 8, 4, 0, 0, 0, 0] + short,
        [8, 10, 8, 2, 0, 0, 0, 0] + coded, [24, 10, 8, 0, 0, 0, 0, 0] + coded,
    ]

    static func png() -> [UInt8] { png(header: [0, 0, 0, 2, 0, 0, 0, 2, 8, 0, 0, 0, 0], palette: [], data: pixels) }

    static func png(header: [UInt8], palette: [UInt8], data: [UInt8]) -> [UInt8] {
        func number(_ value: UInt32) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }
        func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
            let content = Array(name.utf8) + data
            return number(UInt32(data.count)) + content + number(CRC32.of(content))
        }
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunk("IHDR", header) + chunk("PLTE", palette) + chunk("IDAT", data)
            + chunk("IEND", [])
    }
}
