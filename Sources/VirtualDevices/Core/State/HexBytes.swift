/// An attribute value as hexadecimal text, at most 512 bytes (Core Specification, Vol 3, Part F, 3.2.9).
package struct HexBytes: Codable, Sendable, Equatable {
    package static let limit = 512
    package var bytes: [UInt8]

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let digits = Array(try container.decode(String.self).utf8)
        let parsed = stride(from: 0, to: digits.count, by: 2).compactMap { index in
            UInt8(String(decoding: digits[index..<min(index + 2, digits.count)], as: UTF8.self), radix: 16)
        }
        guard digits.count.isMultiple(of: 2), parsed.count * 2 == digits.count, parsed.count <= Self.limit else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not an attribute value")
        }
        bytes = parsed
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())
    }
}
