import Support
import Testing

@testable import Assistant

/// A picture that was damaged or made to harm is none.
@Suite struct DamagedPictureTests {
    /// Each part that counts has its checksum.
    @Test func noFlippedBitIsAnotherPicture() throws {
        let picture = try #require(PixelPicture(width: 2, height: 1, pixels: [1, 2, 3, 4, 5, 6]))
        let file = try #require(PNGFile.file(picture))
        var refused = 0
        for index in file.indices {
            var damaged = file
            damaged[index] ^= 0x10
            let read = try? PictureFile.read(damaged)
            #expect(read == nil || read == picture, "byte \(index)")
            if read == nil { refused += 1 }
        }
        #expect(refused > file.count / 2)
    }

    /// A file of a few bytes that asks for 4 GiB, or for more pixels than a picture for glasses has.
    @Test(arguments: [(32_768, 32_768), (8193, 1), (1, 8193), (8192, 2049)]) func sizesAreBounded(width: Int, height: Int) throws {
        let size = [width, height].flatMap { value in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }
        let file =
            PNGFile.signature + chunk("IHDR", size + [8, 2, 0, 0, 0]) + chunk("IDAT", [0x78, 0x9C, 3, 0, 0, 0, 0, 1]) + chunk("IEND", [])
        #expect(throws: PictureFile.Fault("it has \(width) × \(height) pixels")) { try PictureFile.read(file) }
    }

    private func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
        let content = Array(name.utf8) + data
        func number(_ value: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }
        return number(data.count) + content + number(Int(CRC32.of(content)))
    }
}
