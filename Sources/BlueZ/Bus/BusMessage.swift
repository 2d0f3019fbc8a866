/// A method call that this process makes.
struct BusRequest: Sendable {
    var destination: String
    var path: String
    var interface: String
    var member: String
    var arguments: [BusValue] = []
    /// Whether D-Bus may start the service for it: a service that an operator has stopped stays stopped otherwise.
    var startsService = false

    /// A call to the bus itself.
    static func bus(_ member: String, _ arguments: BusValue...) -> BusRequest {
        BusRequest(
            destination: BusName.bus, path: "/org/freedesktop/DBus", interface: BusName.bus, member: member,
            arguments: arguments)
    }

    /// A call to an object of bluetoothd.
    static func bluez(_ interface: String, _ member: String, at path: String, _ arguments: BusValue...) -> BusRequest {
        BusRequest(destination: BusName.bluez, path: path, interface: interface, member: member, arguments: arguments)
    }
}

/// A message that arrived.
struct BusMessage: Sendable {
    enum Kind: Sendable { case call, reply, failure, signal }

    var kind: Kind
    /// The unique name of the sender, set by the bus and therefore true.
    var sender: String
    var path = ""
    var interface = ""
    var member = ""
    var errorName = ""
    var body: [BusValue]

    /// The text that goes with an error.
    var errorText: String { body.first?.asText ?? "" }
}

/// Names of interfaces (D-Bus specification; BlueZ's doc/org.bluez.*.rst).
enum BusName {
    static let bus = "org.freedesktop.DBus"
    static let bluez = "org.bluez"
    static let properties = "org.freedesktop.DBus.Properties"
    static let objectManager = "org.freedesktop.DBus.ObjectManager"
    static let adapter = "org.bluez.Adapter1"
    static let device = "org.bluez.Device1"
    static let service = "org.bluez.GattService1"
    static let characteristic = "org.bluez.GattCharacteristic1"
    static let agentManager = "org.bluez.AgentManager1"
    static let agent = "org.bluez.Agent1"
}

/// Why a call has no answer.
enum BusFailure: Error, Hashable, Sendable {
    /// An error reply; name and text are untrusted.
    case refused(name: String, text: String)
    /// The bus could not be opened: libdbus's name for what the system said.
    case unopened(name: String, text: String)
    /// The connection to the bus ended.
    case gone(String)
    /// No answer within the time that the caller set.
    case unanswered
}
