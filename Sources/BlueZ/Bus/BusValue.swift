/// A value in a D-Bus message. A variant that was read is shown as what it holds.
indirect enum BusValue: Sendable {
    case byte(UInt8)
    case boolean(Bool)
    /// Every integer type of D-Bus but the unsigned 64-bit one.
    case integer(Int64)
    case unsigned(UInt64)
    case double(Double)
    case string(String)
    case objectPath(String)
    case bytes([UInt8])
    /// Written as an array of strings; read from any array that is neither bytes nor a dictionary, and from a structure.
    case list([BusValue])
    /// Written as `a{sv}`; read from any dictionary whose keys are strings or object paths.
    case dictionary([String: BusValue])
    case descriptor(OwnedDescriptor)
    /// Written only.
    case variant(BusValue)
    /// A type that nothing here uses.
    case other
}

extension BusValue {
    var asText: String? {
        switch self {
        case .string(let text), .objectPath(let text): text
        default: nil
        }
    }

    var asBoolean: Bool? { if case .boolean(let value) = self { value } else { nil } }

    var asInteger: Int? {
        switch self {
        case .integer(let value): Int(exactly: value)
        case .unsigned(let value): Int(exactly: value)
        case .byte(let value): Int(value)
        default: nil
        }
    }

    var asBytes: [UInt8]? {
        switch self {
        case .bytes(let value): value
        default: nil
        }
    }

    var asTexts: [String]? {
        switch self {
        case .list(let values): values.compactMap(\.asText)
        default: nil
        }
    }

    var asDictionary: [String: BusValue]? { if case .dictionary(let value) = self { value } else { nil } }
    var asDescriptor: OwnedDescriptor? { if case .descriptor(let value) = self { value } else { nil } }
}
