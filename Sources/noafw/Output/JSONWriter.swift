/// Writes the JSON documents that the program publishes: `Encodable` types, in one line, their members in the order in which they are
/// declared. A reader may compare documents as text.
///
/// A member without a value is `null`, one that is ``Omitted`` is left out. Everything outside printable ASCII is escaped: the document
/// means the same, and a terminal that shows it is safe.
enum JSONWriter {
    static func text(_ document: some Encodable) -> String {
        let node = JSONNode()
        // Nothing of ours throws while it is encoded.
        try? node.set(document)
        return node.text
    }
}

/// A document that is written already: ``JSONWriter`` takes it as it is, and nothing else can encode it.
struct WrittenJSON: Encodable, Sendable {
    let text: String

    init(_ text: String) { self.text = text.hasSuffix("\n") ? String(text.dropLast()) : text }
}

/// A member that a document leaves out where it has no value.
@propertyWrapper
struct Omitted<Value: Encodable & Sendable>: Encodable, Sendable {
    var wrappedValue: Value?

    init(wrappedValue: Value?) { self.wrappedValue = wrappedValue }
    func encode(to encoder: any Encoder) throws { try wrappedValue?.encode(to: encoder) }
}

extension Omitted: Decodable where Value: Decodable {
    init(from decoder: any Decoder) throws { wrappedValue = try Value(from: decoder) }
}

extension Omitted: Equatable where Value: Equatable {}
extension Omitted: Hashable where Value: Hashable {}

extension KeyedDecodingContainer {
    func decode<Value: Decodable>(_ type: Omitted<Value>.Type, forKey key: Key) throws -> Omitted<Value> {
        Omitted(wrappedValue: try decodeIfPresent(Value.self, forKey: key))
    }
}

extension KeyedEncodingContainer {
    mutating func encode<Value>(_ value: Omitted<Value>, forKey key: Key) throws {
        if let value = value.wrappedValue { try encode(value, forKey: key) }
    }
}

/// Members of a dictionary have no order of their own.
private protocol KeyedByName {}
extension Dictionary: KeyedByName {}

/// A value while it is written.
private final class JSONNode {
    enum Content { case object([(key: String, node: JSONNode)]), array([JSONNode]), scalar(String) }

    var content = Content.scalar("null")

    var text: String {
        switch content {
        case .object(let members): "{" + members.map { "\(Self.quote($0.key)):\($0.node.text)" }.joined(separator: ",") + "}"
        case .array(let elements): "[" + elements.map(\.text).joined(separator: ",") + "]"
        case .scalar(let text): text
        }
    }

    func member(_ key: any CodingKey) -> JSONNode {
        let node = JSONNode()
        guard case .object(var members) = content else {
            content = .object([(key.stringValue, node)])
            return node
        }
        content = .scalar("")
        members.append((key.stringValue, node))
        content = .object(members)
        return node
    }

    func element() -> JSONNode {
        let node = JSONNode()
        guard case .array(var elements) = content else {
            content = .array([node])
            return node
        }
        content = .scalar("")
        elements.append(node)
        content = .array(elements)
        return node
    }

    func set(_ value: some Encodable) throws {
        switch value {
        case let text as String: content = .scalar(Self.quote(text))
        case let bool as Bool: content = .scalar(bool ? "true" : "false")
        case let number as Double: content = .scalar(Format.plain(number))
        case let number as any BinaryInteger: content = .scalar(number.description)
        case let written as WrittenJSON: content = .scalar(written.text)
        default: try value.encode(to: JSONNodeEncoder(node: self))
        }
        if value is any KeyedByName, case .object(let members) = content { content = .object(members.sorted { $0.key < $1.key }) }
    }

    private static func quote(_ string: String) -> String {
        var quoted = "\""
        for unit in string.utf16 {
            switch unit {
            case 0x22: quoted += "\\\""
            case 0x5C: quoted += "\\\\"
            case 0x20...0x7E: quoted.unicodeScalars.append(Unicode.Scalar(UInt8(unit)))
            default:
                let digits = String(unit, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
        return quoted + "\""
    }
}

private struct JSONNodeEncoder: Encoder {
    let node: JSONNode
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        if case .scalar = node.content { node.content = .object([]) }
        return KeyedEncodingContainer(JSONMembers<Key>(node: node))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        node.content = .array([])
        return JSONElements(node: node)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { JSONScalar(node: node) }
}

private struct JSONMembers<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let node: JSONNode
    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) { _ = node.member(key) }
    func encode(_ value: some Encodable, forKey key: Key) throws { try node.member(key).set(value) }
    // Without a member of its own for each, the protocol leaves the value out.
    func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try encodeOrNull(value, key) }
    func encodeIfPresent(_ value: String?, forKey key: Key) throws { try encodeOrNull(value, key) }
    func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try encodeOrNull(value, key) }
    func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try encodeOrNull(value, key) }
    func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try encodeOrNull(value, key) }
    func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try encodeOrNull(value, key) }
    func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try encodeOrNull(value, key) }
    func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try encodeOrNull(value, key) }
    func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try encodeOrNull(value, key) }
    func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try encodeOrNull(value, key) }
    func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try encodeOrNull(value, key) }
    func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try encodeOrNull(value, key) }
    func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try encodeOrNull(value, key) }
    func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try encodeOrNull(value, key) }
    func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws { try encodeOrNull(value, key) }

    private func encodeOrNull(_ value: (some Encodable)?, _ key: Key) throws {
        let member = node.member(key)
        if let value { try member.set(value) }
    }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) -> KeyedEncodingContainer<Nested> {
        JSONNodeEncoder(node: node.member(key)).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        JSONNodeEncoder(node: node.member(key)).unkeyedContainer()
    }
    func superEncoder() -> any Encoder { JSONNodeEncoder(node: node) }
    func superEncoder(forKey key: Key) -> any Encoder { JSONNodeEncoder(node: node.member(key)) }
}

private struct JSONElements: UnkeyedEncodingContainer {
    let node: JSONNode
    var codingPath: [any CodingKey] { [] }
    var count: Int { if case .array(let elements) = node.content { elements.count } else { 0 } }

    func encodeNil() { _ = node.element() }
    func encode(_ value: some Encodable) throws { try node.element().set(value) }
    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        JSONNodeEncoder(node: node.element()).container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { JSONNodeEncoder(node: node.element()).unkeyedContainer() }
    func superEncoder() -> any Encoder { JSONNodeEncoder(node: node.element()) }
}

private struct JSONScalar: SingleValueEncodingContainer {
    let node: JSONNode
    var codingPath: [any CodingKey] { [] }

    func encodeNil() { node.content = .scalar("null") }
    func encode(_ value: some Encodable) throws { try node.set(value) }
}
