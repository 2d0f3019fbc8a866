import Cryptography
import REPL
import TestSupport
import Testing

@testable import FPGA

struct PhraseBookTests {
    /// Undoes the coding as the helper does.
    private func decode(_ pieces: [ImagePiece], listing: [[UInt8]], from offset: Int) throws -> [UInt8] {
        let table = listing.map { Array($0.dropFirst()) }
        #expect(zip(listing, table).allSatisfy { Int($0[0]) == $1.count })
        var (image, check) = ([UInt8](), Array(String(offset).utf8))
        for piece in pieces {
            let (codeCount, exceptionCount) = (Int(piece.bytes[0]) * 224 + Int(piece.bytes[1]) - 7200, Int(piece.bytes[2]) - 32)
            let body = piece.bytes.dropFirst(8)
            #expect(body.count == codeCount + 2 * exceptionCount && codeCount > 0)
            var phrases = body.prefix(codeCount).map { table[Int($0)] }
            var place = 0
            let exceptions = Array(body.dropFirst(codeCount))
            for index in stride(from: 0, to: exceptions.count, by: 2) {
                place += Int(exceptions[index]) - 32
                phrases[place] = table[Int(exceptions[index + 1]) + 224]
            }
            let content = Array(phrases.joined())
            #expect(content.count == piece.range.count && content.count <= 512)
            check = Array(SHA256.of(content + check + piece.bytes.prefix(4)).prefix(4))
            try #require(check == Array(piece.bytes[4..<8]))
            image += content
        }
        return image
    }

    private func expectWhole(_ image: [UInt8], from offset: Int = 0) throws {
        let book = PhraseBook(for: image)
        let pieces = ImagePiece.pieces(of: image, from: offset, in: book)
        #expect(try decode(pieces, listing: book.listing, from: offset) == Array(image[offset...]))
        #expect(pieces.allSatisfy { InputPiece.forbidden.isDisjoint(with: $0.bytes) })
        #expect(InputPiece.forbidden.isDisjoint(with: InputPiece.end))
        #expect(pieces.last?.range.upperBound == image.count)
    }

    @Test func anImageIsWholeAndHalfAsLong() throws {
        let image = try FPGAImage(developmentImage(seed: 3), isChecked: false).bytes
        try expectWhole(image)
        try expectWhole(image, from: 100_001)
        let pieces = ImagePiece.pieces(of: image, from: 0, in: PhraseBook(for: image))
        // Half of it is noise, which no phrase shortens.
        #expect(pieces.reduce(0) { $0 + $1.bytes.count } < 230_000)
        #expect(pieces.count < 1_400)
    }

    @Test func anyContent() throws {
        try expectWhole([UInt8](repeating: 0xFF, count: 40_000))
        try expectWhole([0x1C])
        try expectWhole((0..<20_000).map { UInt8(truncatingIfNeeded: $0 * $0 >> 3) })
    }

    /// More values that are no phrase by themselves than have numbers: phrases make way for some.
    @Test func moreRareValuesThanNumbers() throws {
        let image = (0..<256).flatMap { first in (0..<20).flatMap { _ in (0..<4).map { UInt8(truncatingIfNeeded: first + 7 * $0) } } }
        try expectWhole(image)
    }

    /// Every byte equally often, the worst for a book; and only those that cannot be codes.
    @Test(arguments: [0, 1, 2])
    func noise(seed: UInt64) throws {
        var generator = SeededNumbers(seed: seed)
        try expectWhole(generator.bytes(count: 30_000))
        let forbidden = InputPiece.forbidden.sorted()
        try expectWhole((0..<5000).map { _ in forbidden.randomElement(using: &generator)! })
    }
}
