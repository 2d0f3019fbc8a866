import Foundation

/// What JSON Schema (draft 7) says of a value, gathered from what its type encodes.
final class SchemaNode {
    enum Kind: Equatable { case unknown, text, choice([String]), integer, number, boolean, list, object, map }

    struct Member {
        var name: String
        var node: SchemaNode
        /// Of how many of the samples.
        var count = 0
    }

    var kind = Kind.unknown
    var isNullable = false
    var members: [Member] = []
    /// Of a list or a map.
    var element: SchemaNode?
    /// Samples that this object was gathered from.
    var count = 0

    func member(_ name: String) -> SchemaNode {
        if let index = members.firstIndex(where: { $0.name == name }) {
            members[index].count += 1
            return members[index].node
        }
        members.append(Member(name: name, node: SchemaNode(), count: 1))
        return members[members.count - 1].node
    }

    func gather<Value: Encodable>(_ value: Value?) throws {
        if value == nil || Value.self is any Maybe.Type { isNullable = true }
        switch Value.self {
        case let type as any CaseIterable.Type where type is any RawRepresentable.Type: kind = .choice(Self.choices(type))
        case is String.Type: kind = .text
        case is Bool.Type: kind = .boolean
        case is Double.Type, is Float.Type: if kind != .integer { kind = .number }
        case is any BinaryInteger.Type: if kind != .number { kind = .integer }
        case is any Listed.Type: kind = .list
        default: break
        }
        guard let value, kind == .unknown || kind == .list || kind == .object || kind == .map else { return }
        if let optional = value as? any Maybe, optional.isNothing { return isNullable = true }
        count += 1
        try value.encode(to: SchemaEncoder(node: self, isMap: value is any Mapped))
    }

    private static func choices(_ type: any CaseIterable.Type) -> [String] {
        func all<Cases: CaseIterable>(_ type: Cases.Type) -> [String] {
            type.allCases.compactMap { ($0 as? any RawRepresentable)?.rawValue as? String }
        }
        return all(type)
    }

    /// From what was printed, where no sample of the type can be made.
    func gather(printed value: Any) {
        switch value {
        case is NSNull: isNullable = true
        case is String: kind = .text
        case let number as NSNumber:
            if CFBooleanLike.isBoolean(number) {
                kind = .boolean
            } else if kind != .number {
                kind = CFBooleanLike.isWhole(number) ? .integer : .number
            }
        case let list as [Any]:
            kind = .list
            let element = element ?? SchemaNode()
            for value in list { element.gather(printed: value) }
            if !list.isEmpty { self.element = element }
        case let members as [String: Any]:
            kind = .object
            count += 1
            for (name, value) in members.sorted(by: { $0.key < $1.key }) { member(name).gather(printed: value) }
        default: break
        }
    }

    /// Indented, the members in their order.
    func text(indent: String = "") -> String {
        let inner = indent + "  "
        func block(_ lines: [String]) -> String { "{\n" + lines.map { inner + $0 }.joined(separator: ",\n") + "\n\(indent)}" }
        func type(_ name: String) -> String { isNullable ? "\"type\": [\"\(name)\", \"null\"]" : "\"type\": \"\(name)\"" }
        switch kind {
        case .unknown: return isNullable ? "{ \"type\": \"null\" }" : "{}"
        case .text: return "{ \(type("string")) }"
        case .choice(let values):
            let all = values.map { "\"\($0)\"" } + (isNullable ? ["null"] : [])
            return "{ \"enum\": [\(all.joined(separator: ", "))] }"
        case .integer: return "{ \(type("integer")) }"
        case .number: return "{ \(type("number")) }"
        case .boolean: return "{ \(type("boolean")) }"
        case .list: return block([type("array")] + (element.map { ["\"items\": \($0.text(indent: inner))"] } ?? []))
        case .map: return block([type("object")] + (element.map { ["\"additionalProperties\": \($0.text(indent: inner))"] } ?? []))
        case .object:
            let required = members.filter { $0.count == count }.map { "\"\($0.name)\"" }
            let properties = members.map { "\(inner)  \"\($0.name)\": \($0.node.text(indent: inner + "  "))" }.joined(separator: ",\n")
            return block([
                type("object"), "\"required\": [\(required.joined(separator: ", "))]", "\"properties\": {\n\(properties)\n\(inner)}",
            ])
        }
    }
}

private enum CFBooleanLike {
    static func isBoolean(_ number: NSNumber) -> Bool { String(cString: number.objCType) == "c" || String(cString: number.objCType) == "B" }
    static func isWhole(_ number: NSNumber) -> Bool { !["d", "f"].contains(String(cString: number.objCType)) }
}

private protocol Listed {}
extension Array: Listed {}
private protocol Mapped {}
extension Dictionary: Mapped {}
private protocol Maybe { var isNothing: Bool { get } }
extension Optional: Maybe { var isNothing: Bool { self == nil } }

private struct SchemaEncoder: Encoder {
    let node: SchemaNode
    var isMap = false
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        node.kind = isMap ? .map : .object
        return KeyedEncodingContainer(SchemaMembers<Key>(node: node))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        node.kind = .list
        return SchemaElements(node: node)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { SchemaValue(node: node) }
}

private struct SchemaMembers<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let node: SchemaNode
    var codingPath: [any CodingKey] { [] }

    private func member(_ key: Key) -> SchemaNode {
        guard node.kind == .map else { return node.member(key.stringValue) }
        let element = node.element ?? SchemaNode()
        node.element = element
        return element
    }

    func encodeNil(forKey key: Key) { member(key).isNullable = true }
    func encode(_ value: some Encodable, forKey key: Key) throws { try member(key).gather(value) }

    private func maybe<Value: Encodable>(_ value: Value?, _ key: Key) throws {
        let member = member(key)
        member.isNullable = true
        try member.gather(value)
    }

    func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try maybe(value, key) }
    func encodeIfPresent(_ value: String?, forKey key: Key) throws { try maybe(value, key) }
    func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try maybe(value, key) }
    func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try maybe(value, key) }
    func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try maybe(value, key) }
    func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try maybe(value, key) }
    func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws { try maybe(value, key) }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) -> KeyedEncodingContainer<Nested> {
        SchemaEncoder(node: member(key)).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { SchemaEncoder(node: member(key)).unkeyedContainer() }
    func superEncoder() -> any Encoder { SchemaEncoder(node: node) }
    func superEncoder(forKey key: Key) -> any Encoder { SchemaEncoder(node: member(key)) }
}

private struct SchemaElements: UnkeyedEncodingContainer {
    let node: SchemaNode
    var codingPath: [any CodingKey] { [] }
    var count: Int { 0 }

    private func element() -> SchemaNode {
        let element = node.element ?? SchemaNode()
        node.element = element
        return element
    }

    func encodeNil() { element().isNullable = true }
    func encode(_ value: some Encodable) throws { try element().gather(value) }
    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        SchemaEncoder(node: element()).container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { SchemaEncoder(node: element()).unkeyedContainer() }
    func superEncoder() -> any Encoder { SchemaEncoder(node: element()) }
}

private struct SchemaValue: SingleValueEncodingContainer {
    let node: SchemaNode
    var codingPath: [any CodingKey] { [] }

    func encodeNil() { node.isNullable = true }
    func encode(_ value: some Encodable) throws { try node.gather(value) }
}
