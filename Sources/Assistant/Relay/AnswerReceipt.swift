import Cryptography
import REPL
import Support

/// Text by its length and checksum: what a host has sent, or what a unit says that it accepted.
public struct AnswerReceipt: Sendable, Hashable {
    public let byteCount: Int
    /// Four bytes in lower-case hexadecimal: on a Monocle the first ones of the SHA-256, on a Frame the CRC-32.
    public let check: String

    init(of bytes: [UInt8]) { (byteCount, check) = (bytes.count, SHA256.check(of: bytes)) }

    init(crcOf bytes: [UInt8]) {
        byteCount = bytes.count
        check = HexText.encode([24, 16, 8, 0].map { UInt8(truncatingIfNeeded: CRC32.of(bytes) >> $0) })
    }

    /// `COUNT HEX8` as our scripts write it, else `nil`.
    init?(parsing data: some Collection<UInt8>) {
        let parts = data.split(separator: 0x20, omittingEmptySubsequences: false)
        guard parts.count == 2, (1...9).contains(parts[0].count), parts[1].count == 8,
            parts[0].allSatisfy({ (0x30...0x39).contains($0) }),
            parts[1].allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }),
            let count = Int(String(decoding: parts[0], as: UTF8.self))
        else { return nil }
        (byteCount, check) = (count, String(decoding: parts[1], as: UTF8.self))
    }
}

/// What is known of an answer that was sent and has not arrived.
public enum DeliveryLoss: Sendable, Hashable {
    case noReceipt
    /// Counts may agree where the bytes do not.
    case accepted(byteCount: Int, sent: Int)
    /// So many links in a row were lost before it was there; the reason is the last one's.
    case linksLost(count: Int, reason: String)

    /// A sentence without a full stop. May hold text from a device: escape it before a terminal shows it.
    public var message: String {
        switch self {
        case .linksLost(let count, let reason): "the link was lost \(count) times in a row; the last reason was: \(reason)"
        case .noReceipt: "the unit sent no receipt"
        case .accepted(let count, let sent) where count == sent: "the unit accepted different bytes from those sent"
        case .accepted(let count, let sent): "the unit accepted \(count) of \(sent) bytes"
        }
    }
}
