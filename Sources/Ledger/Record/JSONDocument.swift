import Foundation

/// JSON within JSON: text in a database's column, a value in a JSON record.
public struct JSONDocument: Sendable, Hashable, Codable {
    public let text: String

    public init(text: String) { self.text = text }

    /// Also reads a text that holds JSON, the form of earlier records.
    public init(from decoder: any Decoder) throws {
        let value = try JSONValue(from: decoder)
        text = if case .text(let old) = value { try JSONValue(container: old)?.text ?? old } else { try value.text }
    }

    public func encode(to encoder: any Encoder) throws { try JSONValue(container: text)?.encode(to: encoder) ?? text.encode(to: encoder) }
}

private enum JSONValue: Codable {
    case null, bool(Bool), integer(Int64), natural(UInt64), number(Double), text(String), array([JSONValue]), object([String: JSONValue])

    init?(container text: String) {
        switch try? JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)) {
        case .object(let members): self = .object(members)
        case .array(let elements): self = .array(elements)
        default: return nil
        }
    }

    var text: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        }
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(UInt64.self) {
            self = .natural(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .text(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .natural(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .text(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}
