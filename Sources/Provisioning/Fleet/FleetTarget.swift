import Bluetooth

public struct FleetTarget: Sendable, Hashable {
    public enum Place: Sendable, Hashable {
        case unit(DiscoveredUnit)
        /// The one at this address, in its application or bootloader; still to be found.
        case address(DeviceAddress)
        /// The only one with this name; still to be found.
        case name(String)
    }

    public var place: Place
    /// As in the command line or a list, else as heard.
    public var id: String

    public static func unit(_ unit: DiscoveredUnit, id: String? = nil) -> FleetTarget {
        FleetTarget(place: .unit(unit), id: id ?? "\(unit.address)")
    }

    public static func address(_ address: DeviceAddress, id: String? = nil) -> FleetTarget {
        FleetTarget(place: .address(address), id: id ?? "\(address)")
    }

    public static func name(_ name: String) -> FleetTarget { FleetTarget(place: .name(name), id: name) }

    /// - Parameter found: the unit as heard; `nil` before.
    public func unit(_ found: DiscoveredUnit? = nil) -> FleetUnit {
        switch (found, place) {
        case (let found?, _), (nil, .unit(let found)): FleetUnit(id: id, address: found.address, family: found.family)
        case (nil, .address(let address)): FleetUnit(id: id, address: address)
        case (nil, .name): FleetUnit(id: id)
        }
    }
}

public struct FleetAdapter: Sendable {
    /// As an operator knows it.
    public var name: String
    public var central: any Central
    /// The adapter's links of other programs, as far as known.
    public var foreignLinks: @Sendable () async -> Int

    public init(name: String, central: any Central, foreignLinks: @escaping @Sendable () async -> Int = { 0 }) {
        self.name = name
        self.central = central
        self.foreignLinks = foreignLinks
    }
}
