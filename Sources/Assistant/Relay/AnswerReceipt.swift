import Support

/// A text's length and checksum, as sent or as the unit accepted it.
public struct AnswerReceipt: Sendable, Hashable {
    public let byteCount: Int
    /// Four bytes in lower-case hexadecimal.
    public let check: String

    package init(_ byteCount: Int, check: UInt32) {
        self.byteCount = byteCount
        self.check = HexText.encode(withUnsafeBytes(of: check.bigEndian, Array.init))
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

    package static func event(_ data: ArraySlice<UInt8>) -> RelayEvent {
        AnswerReceipt(parsing: data.prefix(20)).map { .receipt($0) } ?? .notice(.brokenReceipt(PrintableText.of(data.prefix(60))))
    }
}

/// Why an answer has not arrived.
public enum DeliveryLoss: Sendable, Hashable {
    case noReceipt
    /// Equal counts may hide different bytes.
    case accepted(byteCount: Int, sent: Int)
    /// The number of links lost in a row; the reason is the last one's.
    case linksLost(count: Int, reason: String)

    /// A sentence without a full stop. Escape it for a terminal.
    public var message: String {
        switch self {
        case .linksLost(let count, let reason): "the link was lost \(count) times in a row; the last reason was: \(reason)"
        case .noReceipt: "the unit sent no receipt"
        case .accepted(let count, let sent) where count == sent: "the unit accepted different bytes from those sent"
        case .accepted(let count, let sent): "the unit accepted \(count) of \(sent) bytes"
        }
    }
}
