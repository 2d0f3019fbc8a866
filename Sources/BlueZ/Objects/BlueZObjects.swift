import Bluetooth

/// An adapter as bluetoothd describes it.
public struct AdapterObject: Sendable, Hashable {
    var path: String
    /// Of the controller; adapters of some makes share one.
    public var address: DeviceAddress
    /// Whether it is switched on.
    public var isPowered = false
    /// Whether any program discovers with it.
    public var isDiscovering = false
    /// If off, keys end with their link.
    var isPairable = false
    /// Such as `1-1.4`; `nil` for an adapter not on USB.
    public var usbPort: String?

    /// The kernel's current name, such as `hci0`.
    public var kernelName: String { Self.kernelName(of: path) }

    static func kernelName(of path: String) -> String { String(path.split(separator: "/").last ?? "") }
}

/// A device that bluetoothd knows, near or not.
public struct DeviceObject: Sendable, Hashable {
    var path: String
    var adapterPath: String
    /// As advertised: a unit with private addresses changes it.
    public var address: DeviceAddress
    /// Advertised, or read from the device's attributes: untrusted text.
    public var name: String?
    var services: Set<AttributeID> = []
    /// In dBm, while a discovery sees the device.
    var rssi: Int?
    var isConnected = false
    var areServicesResolved = false
    var isPaired = false
    /// `nil` before BlueZ 5.65.
    var isBonded: Bool?

    /// Both sides keep a key.
    var hasBond: Bool { isPaired && isBonded != false }
    /// Forgetting it loses no key and no link.
    var mayBeForgotten: Bool { !isPaired && isBonded != true && !isConnected }
}

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
        update(properties)
    }

    mutating func update(_ properties: [String: BusValue]) {
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
        if let value = properties["Name"]?.asText { name = String(value.prefix(ObjectLimits.name)) }
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
    /// Without flags, assume yes.
    func allows(_ properties: Set<String>) -> Bool { flags.isEmpty || !flags.isDisjoint(with: properties) }

    init?(path: String, properties: [String: BusValue]) {
        guard let id = properties["UUID"]?.asText else { return nil }
        self.init(path: path, id: AttributeID(id))
        update(properties)
    }

    mutating func update(_ properties: [String: BusValue]) {
        if let value = properties["Flags"]?.asTexts { flags = Set(value.prefix(32)) }
        if let value = properties["MTU"]?.asInteger, ObjectLimits.mtu.contains(value) { mtu = value }
    }
}

enum ObjectLimits {
    /// For all devices together; far more than any adapter hears.
    static let objects = 20_000
    static let services = 256
    /// From LE's minimum to the 16-bit maximum (Core 5.4, Vol 3, Part F, 3.2.8).
    static let mtu = 23...65_535
    /// Core 5.4, Vol 3, Part C, 3.2.2.3.
    static let name = 248

    /// ATT MTU − 3 (opcode and handle), at most an attribute's size: bluetoothd cuts longer datagrams.
    static func payload(mtu: Int) -> Int { min(max(mtu, Self.mtu.lowerBound) - 3, 512) }
}
