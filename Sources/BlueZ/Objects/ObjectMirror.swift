import Bluetooth

/// A copy of bluetoothd's objects, updated by its signals: events in, changes out.
struct ObjectMirror: Sendable {
    enum Change: Sendable, Hashable {
        /// A sign of life.
        case advertised(DeviceObject, hasRSSI: Bool)
        case connected(device: String)
        case linkLost(device: String, reason: String)
        case deviceRemoved(device: String)
        case notified(characteristic: String, [UInt8])
        /// Switched off or unplugged.
        case adapterLost(adapter: String, BlueZError)
    }

    private(set) var adapters: [String: AdapterObject] = [:]
    private(set) var devices: [String: DeviceObject] = [:]
    private(set) var characteristics: [String: CharacteristicObject] = [:]
    let ports: AdapterPorts

    init(ports: AdapterPorts = AdapterPorts()) { self.ports = ports }

    /// Takes the answer of `GetManagedObjects`: `a{oa{sa{sv}}}`.
    mutating func load(_ objects: [String: BusValue]) -> [Change] {
        let before = self
        self = ObjectMirror(ports: ports)
        for (path, interfaces) in objects {
            guard let interfaces = interfaces.asDictionary else { continue }
            for (interface, properties) in interfaces { _ = insert(path, interface, properties.asDictionary ?? [:]) }
        }
        return before.devices.values.filter(\.isConnected).compactMap { old in
            devices[old.path]?.isConnected == true ? nil : .linkLost(device: old.path, reason: Self.linkEnded)
        }
    }

    /// `InterfacesAdded`.
    mutating func add(_ path: String, _ interfaces: [String: BusValue]) -> [Change] {
        interfaces.flatMap { insert(path, $0.key, $0.value.asDictionary ?? [:]) }
    }

    /// `InterfacesRemoved`.
    mutating func remove(_ path: String, _ interfaces: [String]) -> [Change] {
        var changes: [Change] = []
        if interfaces.contains(BusName.characteristic) { characteristics[path] = nil }
        if interfaces.contains(BusName.device) { changes += removeDevice(path, reason: "bluetoothd removed the device") }
        if interfaces.contains(BusName.adapter), let adapter = adapters.removeValue(forKey: path) {
            changes.append(.adapterLost(adapter: path, .noAdapter(adapter.kernelName)))
            for device in devices.values where device.adapterPath == path {
                changes += removeDevice(device.path, reason: "the adapter was taken out")
            }
        }
        return changes
    }

    /// `PropertiesChanged`.
    mutating func change(
        _ path: String, _ interface: String, _ properties: [String: BusValue], invalidated: [String]
    ) -> [Change] {
        switch interface {
        case BusName.characteristic:
            characteristics[path]?.update(properties)
            guard characteristics[path] != nil, let value = properties["Value"]?.asBytes else { return [] }
            return [.notified(characteristic: path, value)]
        case BusName.device: return changeDevice(path, properties, invalidated)
        case BusName.adapter: return changeAdapter(path, properties)
        default: return []
        }
    }

    /// - Parameter path: a device that does not count.
    func linkCount(on adapter: String, besides path: String? = nil) -> Int {
        devices.values.count { $0.adapterPath == adapter && $0.isConnected && $0.path != path }
    }

    func device(_ address: DeviceAddress, on adapter: String) -> DeviceObject? {
        devices.values.first { $0.address == address && $0.adapterPath == adapter }
    }

    func characteristic(_ id: AttributeID, of device: String) -> CharacteristicObject? {
        characteristics(of: device).filter { $0.id == id }.min { $0.path < $1.path }
    }

    func characteristics(of device: String) -> [CharacteristicObject] {
        let prefix = device + "/"
        return characteristics.values.filter { $0.path.hasPrefix(prefix) }
    }

    private static let linkEnded = "the unit or the air ended it"

    private mutating func insert(_ path: String, _ interface: String, _ properties: [String: BusValue]) -> [Change] {
        guard adapters.count + devices.count + characteristics.count < ObjectLimits.objects else { return [] }
        switch interface {
        case BusName.adapter:
            adapters[path] = AdapterObject(path: path, properties: properties)
            adapters[path]?.usbPort = ports.port(of: AdapterObject.kernelName(of: path))
        case BusName.characteristic:
            characteristics[path] = CharacteristicObject(path: path, properties: properties)
        case BusName.device:
            guard let device = DeviceObject(path: path, properties: properties) else { return [] }
            devices[path] = device
            return device.rssi == nil ? [] : [.advertised(device, hasRSSI: true)]
        default: break
        }
        return []
    }

    private mutating func removeDevice(_ path: String, reason: String) -> [Change] {
        let prefix = path + "/"
        for key in characteristics.keys where key.hasPrefix(prefix) { characteristics[key] = nil }
        guard let device = devices.removeValue(forKey: path) else { return [] }
        let lost = device.isConnected ? [Change.linkLost(device: path, reason: reason)] : []
        return lost + [.deviceRemoved(device: path)]
    }

    private mutating func changeDevice(_ path: String, _ properties: [String: BusValue], _ invalidated: [String]) -> [Change] {
        guard var device = devices[path] else { return [] }
        let wasConnected = device.isConnected
        device.update(properties, invalidated: invalidated)
        // Without a link there is no table, whatever bluetoothd says first.
        if !device.isConnected { device.areServicesResolved = false }
        devices[path] = device
        var changes: [Change] = []
        if wasConnected != device.isConnected {
            changes.append(device.isConnected ? .connected(device: path) : .linkLost(device: path, reason: Self.linkEnded))
        }
        if ["RSSI", "ManufacturerData", "ServiceData", "Name"].contains(where: { properties[$0] != nil }) {
            changes.append(.advertised(device, hasRSSI: properties["RSSI"]?.asInteger != nil))
        }
        return changes
    }

    private mutating func changeAdapter(_ path: String, _ properties: [String: BusValue]) -> [Change] {
        guard let before = adapters[path] else { return [] }
        adapters[path]?.update(properties)
        guard before.isPowered, adapters[path]?.isPowered == false else { return [] }
        // bluetoothd reports each device as disconnected, but in some versions only after the links are gone.
        var changes = [Change.adapterLost(adapter: path, .adapterOff(before.kernelName))]
        for device in devices.values where device.adapterPath == path && device.isConnected {
            devices[device.path]?.isConnected = false
            devices[device.path]?.areServicesResolved = false
            changes.append(.linkLost(device: device.path, reason: "the adapter was switched off"))
        }
        return changes
    }
}
