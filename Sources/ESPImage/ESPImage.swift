import Cryptography
import Support

/// An application image as ESP-IDF builds it (ESP-IDF, `esp_app_format.h`, `esp_image_format.c`): a header, segments, a checksum at the
/// end of a block of 16 bytes, and a digest of all that.
public struct ESPImage: Sendable, Hashable {
    public struct Segment: Sendable, Hashable {
        public let loadAddress: UInt32
        /// Of the file.
        public let range: Range<Int>
    }

    /// Several times what any module's flash has for one application.
    public static let limitBytes = 16 << 20
    /// The first byte of every image.
    static let magic: UInt8 = 0xE9
    static let headerByteCount = 24
    static let segmentHeaderByteCount = 8
    private static let mostSegments = 16
    private static let checksumSeed: UInt8 = 0xEF
    private static let blockByteCount = 16

    public let bytes: [UInt8]
    public let chip: ESPChip
    public let entryAddress: UInt32
    public let segments: [Segment]
    public let descriptor: ESPAppDescriptor
    /// SHA-256 of everything before it; `nil` for an image that was built without.
    public let digest: [UInt8]?

    /// Reads an image and checks its structure, checksum and digest. Nothing may follow it: neither a signature of Secure Boot nor
    /// what else a flash held.
    public init(_ bytes: [UInt8]) throws(ESPImageError) {
        guard bytes.count <= Self.limitBytes else { throw .tooLong(byteCount: bytes.count) }
        guard bytes.first == Self.magic else { throw .notAnImage(firstByte: bytes.first) }
        let reader = LittleEndianBytes(bytes)
        guard let chip = reader.word16(at: 12), let entry = reader.word32(at: 4), bytes.count >= Self.headerByteCount else {
            throw .cutShort(byteCount: bytes.count)
        }
        segments = try Self.segments(count: Int(bytes[1]), reader)
        let end = segments.last?.range.upperBound ?? Self.headerByteCount
        // The checksum is the last byte of its block.
        let checksumPlace = (end / Self.blockByteCount + 1) * Self.blockByteCount - 1
        let digestPlace = checksumPlace + 1
        let hasDigest = bytes[Self.headerByteCount - 1] == 1
        let wholeCount = digestPlace + (hasDigest ? SHA256.byteCount : 0)
        guard bytes.count >= wholeCount else { throw .cutShort(byteCount: bytes.count) }
        let sum = segments.reduce(Self.checksumSeed) { sum, segment in bytes[segment.range].reduce(sum, ^) }
        guard bytes[checksumPlace] == sum else { throw .wrongChecksum }
        let digest = hasDigest ? Array(bytes[digestPlace..<wholeCount]) : nil
        if let digest, digest != SHA256.of(bytes[..<digestPlace]) { throw .wrongDigest }
        guard bytes.count == wholeCount else { throw .followed(byteCount: bytes.count - wholeCount) }
        descriptor = try ESPAppDescriptor(bytes, at: segments.first?.range)
        (self.bytes, self.chip, entryAddress, self.digest) = (bytes, ESPChip(rawValue: chip), entry, digest)
    }

    private static func segments(count: Int, _ reader: LittleEndianBytes) throws(ESPImageError) -> [Segment] {
        guard (1...mostSegments).contains(count) else { throw .badSegment(number: 0, reason: "it has \(count) segments") }
        var segments: [Segment] = []
        var place = headerByteCount
        for number in 1...count {
            guard let address = reader.word32(at: place), let length = reader.word32(at: place + 4) else {
                throw .cutShort(byteCount: reader.bytes.count)
            }
            guard length % 4 == 0, length <= limitBytes else { throw .badSegment(number: number, reason: "it has \(length) bytes") }
            let start = place + segmentHeaderByteCount
            guard start + Int(length) <= reader.bytes.count else { throw .cutShort(byteCount: reader.bytes.count) }
            segments.append(Segment(loadAddress: address, range: start..<start + Int(length)))
            place = start + Int(length)
        }
        return segments
    }

    /// SHA-256 of the file.
    public var sha256: [UInt8] { SHA256.of(bytes) }
}

/// Bytes with numbers in them, the lowest byte first. Reading behind the end gives `nil`.
struct LittleEndianBytes {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    func word16(at place: Int) -> UInt16? { number(at: place, count: 2).map { UInt16($0) } }
    func word32(at place: Int) -> UInt32? { number(at: place, count: 4) }

    private func number(at place: Int, count: Int) -> UInt32? {
        guard place >= 0, place + count <= bytes.count else { return nil }
        return bytes[place..<place + count].reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
}
