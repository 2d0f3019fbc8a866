import Bluetooth

/// A unit that a run has to work on.
public struct FleetTarget: Sendable, Hashable {
    public enum Place: Sendable, Hashable {
        /// One that was heard already.
        case unit(DiscoveredUnit)
        /// The one at this address, in its application or in its bootloader; it still has to be found.
        case address(DeviceAddress)
        /// The only one with this name; it still has to be found.
        case name(String)
    }

    public var place: Place
    /// As the command line or a list names it, else as it was heard.
    public var id: String

    public static func unit(_ unit: DiscoveredUnit, id: String? = nil) -> FleetTarget {
        FleetTarget(place: .unit(unit), id: id ?? "\(unit.address)")
    }

    public static func address(_ address: DeviceAddress, id: String? = nil) -> FleetTarget {
        FleetTarget(place: .address(address), id: id ?? "\(address)")
    }

    public static func name(_ name: String) -> FleetTarget { FleetTarget(place: .name(name), id: name) }

    /// - Parameter found: what the air says; `nil` before it is heard.
    public func unit(_ found: DiscoveredUnit? = nil) -> FleetUnit {
        switch (found, place) {
        case (let found?, _), (nil, .unit(let found)): FleetUnit(id: id, address: found.address, family: found.family)
        case (nil, .address(let address)): FleetUnit(id: id, address: address)
        case (nil, .name): FleetUnit(id: id)
        }
    }
}

/// One Bluetooth adapter that a fleet works with.
public struct FleetAdapter: Sendable {
    /// As an operator knows it.
    public var name: String
    public var central: any Central
    /// How many links of others the adapter holds now, as far as that is known.
    public var foreignLinks: @Sendable () async -> Int

    public init(name: String, central: any Central, foreignLinks: @escaping @Sendable () async -> Int = { 0 }) {
        self.name = name
        self.central = central
        self.foreignLinks = foreignLinks
    }
}
