import Bluetooth

/// An adapter as bluetoothd shows it.
struct AdapterObject: Sendable, Hashable {
    var path: String
    var address: DeviceAddress
    var name = ""
    var isPowered = false
    var isDiscovering = false
    /// Pairings leave a bond: without it, keys end with their link.
    var isPairable = false
    /// Such as `1-1.4`; `nil` for an adapter that is not on USB.
    var port: String?

    /// The kernel's name of the adapter, such as `hci0`.
    var kernelName: String { Self.kernelName(of: path) }

    static func kernelName(of path: String) -> String { String(path.split(separator: "/").last ?? "") }
}

/// A device that bluetoothd knows, near or not.
struct DeviceObject: Sendable, Hashable {
    var path: String
    var adapterPath: String
    var address: DeviceAddress
    /// The advertised name, or the one that was read from the device's attributes: untrusted.
    var name: String?
    var services: Set<AttributeID> = []
    /// There only while a discovery sees the device, in dBm.
    var rssi: Int?
    var isConnected = false
    var areServicesResolved = false
    var isPaired = false
    /// `nil` before BlueZ 5.65.
    var isBonded: Bool?

    /// Both sides keep a key.
    var hasBond: Bool { isPaired && isBonded != false }
}

/// A characteristic of a device's attribute table.
struct CharacteristicObject: Sendable, Hashable {
    var path: String
    var id: AttributeID
    var flags: Set<String> = []
    /// The exchanged ATT MTU in bytes (since BlueZ 5.62).
    var mtu: Int?
}

extension AdapterObject {
    /// - Returns: `nil` when an essential property is missing or malformed.
    init?(path: String, properties: [String: BusValue]) {
        guard let address = properties["Address"]?.asText.flatMap(DeviceAddress.init(_:)) else { return nil }
        self.init(path: path, address: address)
        update(properties, invalidated: [])
    }

    mutating func update(_ properties: [String: BusValue], invalidated: [String]) {
        if let value = properties["Alias"]?.asText { name = ObjectLimits.name(value) }
        if let value = properties["Powered"]?.asBoolean { isPowered = value }
        if let value = properties["Discovering"]?.asBoolean { isDiscovering = value }
        if let value = properties["Pairable"]?.asBoolean { isPairable = value }
    }
}

extension DeviceObject {
    init?(path: String, properties: [String: BusValue]) {
        guard let address = properties["Address"]?.asText.flatMap(DeviceAddress.init(_:)),
            let adapter = properties["Adapter"]?.asText
        else { return nil }
        self.init(path: path, adapterPath: adapter, address: address)
        update(properties, invalidated: [])
    }

    mutating func update(_ properties: [String: BusValue], invalidated: [String]) {
        if let value = properties["Name"]?.asText { name = ObjectLimits.name(value) }
        if let value = properties["UUIDs"]?.asTexts { services = Set(value.prefix(ObjectLimits.services).map(AttributeID.init(_:))) }
        if let value = properties["RSSI"]?.asInteger, (-127...20).contains(value) { rssi = value }
        if let value = properties["Connected"]?.asBoolean { isConnected = value }
        if let value = properties["ServicesResolved"]?.asBoolean { areServicesResolved = value }
        if let value = properties["Paired"]?.asBoolean { isPaired = value }
        if let value = properties["Bonded"]?.asBoolean { isBonded = value }
        if invalidated.contains("RSSI") { rssi = nil }
        if invalidated.contains("Name") { name = nil }
    }
}

extension CharacteristicObject {
    /// Whether the table has one of these properties; a characteristic without any says nothing.
    func allows(_ properties: Set<String>) -> Bool { flags.isEmpty || !flags.isDisjoint(with: properties) }

    init?(path: String, properties: [String: BusValue]) {
        guard let id = properties["UUID"]?.asText else { return nil }
        self.init(path: path, id: AttributeID(id))
        update(properties, invalidated: [])
    }

    mutating func update(_ properties: [String: BusValue], invalidated: [String]) {
        if let value = properties["Flags"]?.asTexts { flags = Set(value.prefix(32)) }
        if let value = properties["MTU"]?.asInteger, ObjectLimits.mtu.contains(value) { mtu = value }
    }
}

/// What is believed of bluetoothd.
enum ObjectLimits {
    /// Of the whole mirror: far above what any adapter's surroundings hold.
    static let objects = 20_000
    static let services = 256
    /// An ATT MTU, from the least of LE to the most of its 16 bits (Core 5.4, Vol 3, Part F, 3.2.8).
    static let mtu = 23...65_535

    /// A Bluetooth name holds 248 bytes (Core 5.4, Vol 3, Part C, 3.2.2.3).
    static func name(_ text: String) -> String { String(text.prefix(248)) }
}
