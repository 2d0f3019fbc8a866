import Foundation

/// A JSON document whose keys keep the order they were given in: a reader may compare documents as text.
indirect enum JSONText: Sendable {
    case object([(key: String, value: JSONText)])
    case array([JSONText])
    case string(String)
    case integer(Int)
    /// Written with up to three decimals.
    case number(Double)
    case bool(Bool)
    case null
    /// That is written already.
    case document(String)

    /// An object with more members behind its own.
    func adding(_ members: [(key: String, value: JSONText)]) -> JSONText {
        guard case .object(let own) = self else { return self }
        return .object(own + members)
    }

    static func optional(_ text: String?) -> JSONText { text.map { .string($0) } ?? .null }

    /// One line, without a line feed.
    var text: String {
        switch self {
        case .object(let members):
            "{" + members.map { "\(Self.quote($0.key)):\($0.value.text)" }.joined(separator: ",") + "}"
        case .array(let elements): "[" + elements.map(\.text).joined(separator: ",") + "]"
        case .string(let string): Self.quote(string)
        case .integer(let number): String(number)
        case .number(let number): Format.plain(number)
        case .bool(let bool): bool ? "true" : "false"
        case .null: "null"
        case .document(let text): text.hasSuffix("\n") ? String(text.dropLast()) : text
        }
    }

    /// Everything outside printable ASCII is escaped: the document means the same, and a terminal that shows it is safe.
    private static func quote(_ string: String) -> String {
        var quoted = "\""
        for unit in string.utf16 {
            switch unit {
            case 0x22: quoted += "\\\""
            case 0x5C: quoted += "\\\\"
            case 0x20...0x7E: quoted.unicodeScalars.append(Unicode.Scalar(UInt8(unit)))
            default: quoted += String(format: "\\u%04x", Int(unit))
            }
        }
        return quoted + "\""
    }
}

/// A part that is written by hand still, in a document that ``JSONWriter`` writes: it knows such a part, nothing else can encode it.
extension JSONText: Encodable {
    func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        try value.encode(self)
    }
}
