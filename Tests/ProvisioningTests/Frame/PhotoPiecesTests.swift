import Support
import TestSupport
import Testing
@testable import FrameFamily
@testable import Provisioning

/// A photo from a unit is bounded, whole, and in its order.
struct PhotoPiecesTests {
    private static let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0] + [UInt8](repeating: 0x0A, count: 400) + [0xFF, 0xD9]

    private static func message(_ number: Int, _ bytes: some Collection<UInt8>) -> [UInt8] {
        var crc = CRC32()
        crc.update(Array(bytes)[...])
        func digits(_ value: some BinaryInteger, _ count: Int) -> String {
            let text = String(value, radix: 16)
            return String(repeating: "0", count: count - text.count) + text
        }
        return Array((digits(number, 4) + digits(crc.value, 8)).utf8) + bytes + [0x0A]
    }

    private static func photo(of messages: [[UInt8]]) throws -> [UInt8] {
        var pieces = FramePhotoPieces()
        for message in messages { pieces.receive(message) }
        return try pieces.finish()
    }

    @Test func piecesBecomeAPhoto() throws {
        let (first, second) = (Self.jpeg.prefix(200), Self.jpeg.dropFirst(200))
        let whole = [Self.message(0, first), Array("a print of the program\n".utf8), Self.message(1, second), Self.message(2, [])]
        #expect(try Self.photo(of: whole) == Self.jpeg)
        // What follows the last piece is none of it.
        #expect(try Self.photo(of: whole + [Self.message(3, [1, 2])]) == Self.jpeg)
    }

    @Test func whatIsLostDamagedOrCutIsNoPhoto() {
        let (first, second) = (Self.jpeg.prefix(200), Self.jpeg.dropFirst(200))
        var bad = Self.message(1, second)
        bad[20] ^= 1
        for messages in [
            [Self.message(0, first), Self.message(2, second), Self.message(3, [])], [Self.message(1, first), Self.message(2, [])],
            [Self.message(0, first), bad, Self.message(2, [])], [Self.message(0, first), Self.message(1, second)],
            [Self.message(0, second), Self.message(1, [])],
        ] {
            #expect { try Self.photo(of: messages) } throws: { error in
                if case ProvisioningError.photoDamaged = error { true } else { false }
            }
        }
        #expect(throws: ProvisioningError.self) { try Self.photo(of: [Self.message(0, [])]) }
        #expect(throws: ProvisioningError.self) { try Self.photo(of: [[], [0x0A], Array("zzzzzzzzzzzzz\n".utf8)]) }
    }

    @Test func aPhotoWithoutAnEndIsRefused() throws {
        var photo = PhotoPieces()
        let piece = [UInt8](repeating: 0xFF, count: 4096)
        for _ in 0..<PhotoPieces.byteLimit / 4096 { try photo.take(piece) }
        #expect(throws: ProvisioningError.self) { try photo.take([1]) }
        #expect(photo.bytes.count == PhotoPieces.byteLimit)
    }

    @Test func garbageNeverTraps() {
        var numbers = SeededNumbers(seed: 5)
        for _ in 0..<2000 {
            var pieces = FramePhotoPieces()
            for _ in 0..<4 {
                pieces.receive((0..<Int.random(in: 0...40, using: &numbers)).map { _ in
                    [0x0A, 0x30, 0x31, 0xFF, 0xD8].randomElement(using: &numbers) ?? 0
                })
            }
            _ = try? pieces.finish()
        }
    }
}
