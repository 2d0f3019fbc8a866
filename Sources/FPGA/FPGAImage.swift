import Cryptography
import REPL
import Support

/// An FPGA image as it lies in a unit's flash: padded with 0xFF to exactly 444,430 bytes.
public struct FPGAImage: Sendable, Hashable {
    public let bytes: [UInt8]
    /// Over the padded image.
    public let sha256: [UInt8]
    /// Over the content as it was given, before the padding: what a file's listed digest is compared with.
    public let contentSHA256: [UInt8]
    /// The first 8 bytes of the SHA-256 of each 4 KiB page, as a number; the last one covers the 2,062 bytes that belong to the
    /// image.
    public let pageDigests: [UInt64]

    public var contentSHA256Text: String { HexText.encode(contentSHA256) }

    /// - Parameters:
    ///   - content: 1…444,430 bytes.
    ///   - isChecked: it has to be a whole bitstream for the unit's FPGA; `false` takes anything.
    /// - Throws: ``FPGAError/imageTooLong(byteCount:)``, ``FPGAError/imageEmpty``, ``FPGAError/notABitstream(reason:)``.
    public init(_ content: [UInt8], isChecked: Bool = true) throws {
        guard !content.isEmpty else { throw FPGAError.imageEmpty }
        guard content.count <= FPGALimits.imageByteCount else {
            throw FPGAError.imageTooLong(byteCount: content.count)
        }
        if isChecked { try GowinBitstream.check(content) }
        let padding = FPGALimits.imageByteCount - content.count
        let bytes = content + [UInt8](repeating: 0xFF, count: padding)
        self.bytes = bytes
        sha256 = SHA256.of(bytes)
        contentSHA256 = padding == 0 ? sha256 : SHA256.of(content)
        pageDigests = (0..<FPGALimits.pageCount).map { Self.digest(of: bytes[FPGALimits.page($0)]) }
    }

    /// The first 8 bytes of a SHA-256, the first one the most significant.
    static func digest(of part: some Collection<UInt8>) -> UInt64 {
        SHA256.of(part).prefix(FPGALimits.pageDigestByteCount).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
