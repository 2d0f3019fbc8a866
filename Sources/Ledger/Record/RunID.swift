/// The identity of a run: a UUIDv7 (RFC 9562, section 5.7), made without a server and ordered by its millisecond.
public struct RunID: Sendable, Hashable, Comparable, CustomStringConvertible {
    private let high: UInt64
    private let low: UInt64

    private static let versionBits: UInt64 = 0x7000
    private static let variantBits: UInt64 = 0x8000_0000_0000_0000

    /// - Parameters:
    ///   - milliseconds: since 1970, 48 bits of it.
    ///   - first: 12 random bits.
    ///   - second: 62 random bits.
    init(milliseconds: UInt64, first: UInt64, second: UInt64) {
        high = milliseconds << 16 | Self.versionBits | first & 0xFFF
        low = Self.variantBits | second & (.max >> 2)
    }

    /// - Returns: `nil` for anything but a UUID of version 7.
    public init?(_ text: some StringProtocol) {
        let groups = text.split(separator: "-", omittingEmptySubsequences: false)
        guard groups.map(\.utf8.count) == [8, 4, 4, 4, 12], text.utf8.allSatisfy({ $0 != 0x2B }) else { return nil }
        let digits = groups.joined()
        guard let high = UInt64(digits.prefix(16), radix: 16), let low = UInt64(digits.dropFirst(16), radix: 16) else { return nil }
        guard high & 0xF000 == Self.versionBits, low & 0xC000_0000_0000_0000 == Self.variantBits else { return nil }
        (self.high, self.low) = (high, low)
    }

    /// Since 1970.
    public var milliseconds: UInt64 { high >> 16 }

    /// The last eight digits, which are random: enough to tell the runs of a list apart.
    public var shortText: String { String(description.suffix(8)) }

    public var description: String {
        let digits = Self.digits(high) + Self.digits(low)
        var groups: [Substring] = []
        var rest = digits[...]
        for count in [8, 4, 4, 4, 12] {
            groups.append(rest.prefix(count))
            rest = rest.dropFirst(count)
        }
        return groups.joined(separator: "-")
    }

    private static func digits(_ number: UInt64) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: 16 - text.count) + text
    }

    public static func < (left: RunID, right: RunID) -> Bool { (left.high, left.low) < (right.high, right.low) }
}

extension RunID: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let id = RunID(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "it is no UUID of version 7")
        }
        self = id
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
