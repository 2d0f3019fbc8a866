import Bluetooth

/// A unit that a fleet has to work on.
public enum FleetTarget: Sendable, Hashable {
    /// One that was heard already.
    case unit(DiscoveredUnit)
    /// The one at this address, in its application or in its bootloader; it still has to be found.
    case address(DeviceAddress)
    /// The only one with this name; it still has to be found.
    case name(String)
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
