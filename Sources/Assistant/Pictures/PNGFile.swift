import CPNG
import Support

package enum PNGFile {
    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    /// Its place in the first chunk, the header (RFC 2083, 4.1.1).
    private static let interlacing = 28
    private static let end: [UInt8] = [0, 0, 0, 0] + "IEND".utf8 + [0xAE, 0x42, 0x60, 0x82]

    /// The pixels on black.
    static func read(_ bytes: [UInt8]) throws(PictureFile.Fault) -> PixelPicture {
        var image = png_image()
        image.version = png_uint_32(PNG_IMAGE_VERSION)
        defer { png_image_free(&image) }
        // The reader stops after the last row.
        guard bytes.contains(bytes: end) else { throw .init("it is incomplete") }
        let read: Result<[UInt8], PictureFile.Fault> = bytes.withUnsafeBytes { self.rows(of: &image, in: $0) }
        let rows = try read.get()
        var pixels: [UInt8] = []
        pixels.reserveCapacity(rows.count / 4 * 3)
        for place in stride(from: 0, to: rows.count, by: 4) {
            let opacity = Int(rows[place + 3])
            for value in rows[place..<place + 3] { pixels.append(UInt8(Int(value) * opacity / 255)) }
        }
        guard let picture = PixelPicture(width: Int(image.width), height: Int(image.height), pixels: pixels)
        else { throw .init("it is incomplete") }
        return picture
    }

    /// Red, green, blue and opacity of each pixel.
    private static func rows(of image: inout png_image, in file: UnsafeRawBufferPointer) -> Result<[UInt8], PictureFile.Fault> {
        guard png_image_begin_read_from_memory(&image, file.baseAddress, file.count) != 0 else { return .failure(fault(of: image)) }
        let (width, height) = (Int(image.width), Int(image.height))
        guard PixelPicture.isUsable(width: width, height: height) else { return .failure(.init("it has \(width) × \(height) pixels")) }
        // Here libpng before 1.6.51 writes beyond the rows (CVE-2025-65018).
        let isWide = image.format & png_uint_32(PNG_FORMAT_FLAG_LINEAR) != 0
        guard !isWide || file[interlacing] == 0 else { return .failure(.init("it is interlaced, with 16 bits a channel; save it with 8")) }
        image.format = png_uint_32(PNG_FORMAT_FLAG_COLOR | PNG_FORMAT_FLAG_ALPHA)
        // For 16 bits without a gamma.
        image.flags |= png_uint_32(PNG_IMAGE_FLAG_16BIT_sRGB)
        var rows = [UInt8](repeating: 0, count: width * height * 4)
        guard png_image_finish_read(&image, nil, &rows, 0, nil) != 0 else { return .failure(fault(of: image)) }
        return .success(rows)
    }

    /// - Returns: `nil` without memory.
    package static func file(_ picture: PixelPicture) -> [UInt8]? {
        var image = png_image()
        image.version = png_uint_32(PNG_IMAGE_VERSION)
        defer { png_image_free(&image) }
        (image.width, image.height) = (png_uint_32(picture.width), png_uint_32(picture.height))
        image.format = png_uint_32(PNG_FORMAT_FLAG_COLOR)
        var count = png_alloc_size_t()
        guard png_image_write_to_memory(&image, nil, &count, 0, picture.pixels, 0, nil) != 0 else { return nil }
        var file = [UInt8](repeating: 0, count: count)
        guard png_image_write_to_memory(&image, &file, &count, 0, picture.pixels, 0, nil) != 0 else { return nil }
        return Array(file.prefix(count))
    }

    private static func fault(of image: png_image) -> PictureFile.Fault {
        let message = withUnsafeBytes(of: image.message) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        return .init("it is broken: \(message)")
    }
}
