import Support

extension FixedWidthInteger {
    var littleEndianBytes: [UInt8] { withUnsafeBytes(of: littleEndian, Array.init) }

    /// What is missing is 0, what is too much is left out.
    init(littleEndian bytes: some Collection<UInt8>) {
        self = bytes.prefix(Self.bitWidth / 8).enumerated().reduce(0) { $0 | Self(truncatingIfNeeded: $1.element) << (8 * $1.offset) }
    }
}

/// An attribute value as hexadecimal text, at most 512 bytes (Core Specification, Vol 3, Part F, 3.2.9).
package struct HexBytes: Codable, Sendable, Equatable {
    package static let limit = 512
    package var bytes: [UInt8]

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let bytes = HexText.decode(try container.decode(String.self)), bytes.count <= Self.limit else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not an attribute value")
        }
        self.bytes = bytes
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(HexText.encode(bytes))
    }
}
