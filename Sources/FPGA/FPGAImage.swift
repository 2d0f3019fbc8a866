import Cryptography
import REPL
import Support

/// Layout of the FPGA's part of a Monocle's flash (monocle-micropython, `modules/update.c`).
public enum FPGALimits {
    /// The FPGA looks for the marker here at boot.
    public static let imageByteCount = 0x6C80E
    /// The device starts the FPGA from flash only when this follows the image.
    static let marker = Array("done".utf8)
    /// Image and marker. Writing past the end raises `ValueError`.
    static let regionByteCount = imageByteCount + 4
    /// The flash erases in 4 KiB pages.
    static let pageByteCount = 0x1000
    static let pageCount = 109
    /// Decoded bytes of one write command. The unit holds them, their parts and the source at once, in a heap of 40 KB, half of
    /// which an interrupted program may still occupy.
    static let maximumChunkByteCount = 2048
    /// Digest bytes that distinguish one page from another.
    static let pageDigestByteCount = 8

    /// The image's part of a page; the last page is short.
    static func page(_ index: Int) -> Range<Int> {
        let start = index * pageByteCount
        return start..<min(start + pageByteCount, imageByteCount)
    }
}

/// An FPGA image as a unit's flash holds it: padded with 0xFF to exactly 444,430 bytes.
public struct FPGAImage: Sendable, Hashable {
    public let bytes: [UInt8]
    /// SHA-256 of the padded image.
    public let sha256: [UInt8]
    /// SHA-256 of the content before padding, as a manifest lists it.
    public let contentSHA256Text: String
    /// Bytes that are neither 0x00 nor blank, of which an image takes the most time.
    let denseByteCount: Int
    /// One digest for each 4 KiB page; the last covers the image's 2,062 bytes there.
    let pageDigests: [UInt64]

    /// - Parameter isChecked: requires a whole bitstream for the unit's FPGA; `false` accepts anything.
    public init(_ content: [UInt8], isChecked: Bool = true) throws {
        guard !content.isEmpty else { throw FPGAError.imageEmpty }
        guard content.count <= FPGALimits.imageByteCount else {
            throw FPGAError.imageTooLong(byteCount: content.count)
        }
        if isChecked { try GowinBitstream.check(content) }
        let bytes = content + [UInt8](repeating: 0xFF, count: FPGALimits.imageByteCount - content.count)
        self.bytes = bytes
        sha256 = SHA256.of(bytes)
        denseByteCount = bytes.count { $0 != 0x00 && $0 != 0xFF }
        contentSHA256Text = SHA256.text(of: content)
        pageDigests = (0..<FPGALimits.pageCount).map { Self.digest(of: bytes[FPGALimits.page($0)]) }
    }

    static func digest(of part: some Collection<UInt8>) -> UInt64 {
        SHA256.number(of: part, byteCount: FPGALimits.pageDigestByteCount)
    }
}
