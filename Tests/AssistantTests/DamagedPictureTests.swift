import Support
import Testing

@testable import Assistant

/// A picture that was damaged or made to harm is none.
@Suite struct DamagedPictureTests {
    /// Each part has its checksum, so nothing flipped goes through.
    @Test func noFlippedBitIsAPicture() throws {
        let file = PNGWriter.file(try #require(PixelPicture(width: 2, height: 1, pixels: [1, 2, 3, 4, 5, 6])))
        #expect(try PictureFile.read(file).pixels == [1, 2, 3, 4, 5, 6])
        for index in file.indices {
            var damaged = file
            damaged[index] ^= 0x10
            #expect(throws: PictureFile.Fault.self, "byte \(index)") { try PictureFile.read(damaged) }
        }
    }

    /// RFC 1951, 3.2.4: the length of a stored block stands there twice.
    @Test func aStoredBlockSaysItsLengthTwice() {
        let check: [UInt8] = [0, 66, 0, 66]
        #expect(Inflate.zlib([0x78, 0x01, 1, 1, 0, 0xFE, 0xFF, 65] + check, limit: 9) == [65])
        #expect(Inflate.zlib([0x78, 0x01, 1, 1, 0, 0xFD, 0xFF, 65] + check, limit: 9) == nil)
    }

    /// A hundred times the same letter, as zlib compresses it.
    @Test func whatIsUnpackedIsBounded() {
        let packed: [UInt8] = [0x78, 0x9C, 0x4B, 0x4C, 0xA4, 0x3D, 0x00, 0x00, 0x7A, 0x47, 0x25, 0xE5]
        #expect(Inflate.zlib(packed, limit: 100) == [UInt8](repeating: 97, count: 100))
        #expect(Inflate.zlib(packed, limit: 99) == nil)
    }

    @Test func aColourOutsideThePaletteIsRefused() throws {
        func file(index: UInt8) -> [UInt8] {
            let row: [UInt8] = [0x78, 0x01, 1, 2, 0, 0xFD, 0xFF, 0, index, 0, 0, 0, 0]
            return PNGReader.signature + chunk("IHDR", [0, 0, 0, 1, 0, 0, 0, 1, 8, 3, 0, 0, 0]) + chunk("PLTE", [7, 8, 9]) + chunk("IDAT", row)
                + chunk("IEND", [])
        }
        #expect(try PictureFile.read(file(index: 0)).pixels == [7, 8, 9])
        for index in [1, 255] as [UInt8] { #expect(throws: PictureFile.Fault.self) { try PictureFile.read(file(index: index)) } }
    }

    private func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
        let content = Array(name.utf8) + data
        func number(_ value: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }
        return number(data.count) + content + number(Int(CRC32.of(content)))
    }
}
