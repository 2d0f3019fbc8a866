import Glibc

struct BusRequest: Sendable {
    var destination: String
    var path: String
    var interface: String
    var member: String
    var arguments: [BusValue] = []
    /// Whether D-Bus may start a service that an operator may have stopped.
    var startsService = false

    static func bus(_ member: String, _ arguments: BusValue...) -> BusRequest {
        BusRequest(
            destination: BusName.bus, path: "/org/freedesktop/DBus", interface: BusName.bus, member: member,
            arguments: arguments)
    }

    static func bluez(_ interface: String, _ member: String, at path: String, _ arguments: BusValue...) -> BusRequest {
        BusRequest(destination: BusName.bluez, path: path, interface: interface, member: member, arguments: arguments)
    }
}

struct BusMessage: Sendable {
    /// The sender's unique name. The bus sets it, so it is true.
    var sender: String
    var path: String
    var interface: String
    var member: String
    var errorName: String
    var body: [BusValue]
}

/// A value in a D-Bus message. Reading a variant gives its content.
indirect enum BusValue: Sendable {
    case boolean(Bool)
    /// Read from any integer type except the unsigned 64-bit one.
    case integer(Int)
    case string(String)
    case objectPath(String)
    case bytes([UInt8])
    /// Read from structures, and from arrays that are neither bytes nor dictionaries.
    case list([BusValue])
    /// Written as `a{sv}`; read from any dictionary, skipping keys that are not text.
    case dictionary([String: BusValue])
    case descriptor(OwnedDescriptor)
    /// Written only.
    case variant(BusValue)
    /// A type that is not used here.
    case other

    var asText: String? {
        switch self {
        case .string(let text), .objectPath(let text): text
        default: nil
        }
    }

    var asBoolean: Bool? { if case .boolean(let value) = self { value } else { nil } }
    var asInteger: Int? { if case .integer(let value) = self { value } else { nil } }
    var asBytes: [UInt8]? { if case .bytes(let value) = self { value } else { nil } }
    var asTexts: [String]? { if case .list(let values) = self { values.compactMap(\.asText) } else { nil } }
    var asDictionary: [String: BusValue]? { if case .dictionary(let value) = self { value } else { nil } }
    var asDescriptor: OwnedDescriptor? { if case .descriptor(let value) = self { value } else { nil } }
}

/// Interface names (D-Bus specification; BlueZ's doc/org.bluez.*.rst).
enum BusName {
    static let bus = "org.freedesktop.DBus"
    static let bluez = "org.bluez"
    static let properties = "org.freedesktop.DBus.Properties"
    static let objectManager = "org.freedesktop.DBus.ObjectManager"
    static let adapter = "org.bluez.Adapter1"
    static let device = "org.bluez.Device1"
    static let characteristic = "org.bluez.GattCharacteristic1"
    static let agentManager = "org.bluez.AgentManager1"
    static let agent = "org.bluez.Agent1"
}

/// Where a message bus listens.
public enum BusAddress: Hashable, Sendable {
    /// The machine's system bus, or the one in `DBUS_SYSTEM_BUS_ADDRESS`.
    case system
    /// An address in D-Bus's own form, such as `unix:path=/tmp/bus`.
    case at(String)

    /// In D-Bus's own form (D-Bus specification, "Well-known Message Bus Instances").
    var text: String {
        switch self {
        case .at(let text): text
        case .system:
            getenv("DBUS_SYSTEM_BUS_ADDRESS").map { String(cString: $0) } ?? "unix:path=/var/run/dbus/system_bus_socket"
        }
    }
}
