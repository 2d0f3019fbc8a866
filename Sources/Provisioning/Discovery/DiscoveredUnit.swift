import Bluetooth

/// A unit as the air shows it.
public struct DiscoveredUnit: Sendable, Hashable {
    public var family: FamilyID
    public var mode: UnitMode
    /// As advertised: in its bootloader the unit has the address after its own.
    public var advertisedAddress: DeviceAddress
    /// Untrusted text.
    public var name: String
    /// In dBm, smoothed.
    public var rssi: Int

    public init(family: FamilyID, mode: UnitMode, advertisedAddress: DeviceAddress, name: String, rssi: Int) {
        self.family = family
        self.mode = mode
        self.advertisedAddress = advertisedAddress
        self.name = name
        self.rssi = rssi
    }

    init(_ family: FamilyID, _ mode: UnitMode, _ advertisement: Advertisement) {
        self.init(
            family: family, mode: mode, advertisedAddress: advertisement.address, name: advertisement.name ?? "",
            rssi: advertisement.rssi)
    }

    /// The address under which a unit is known, whatever its mode: its application's.
    public var address: DeviceAddress { mode == .application ? advertisedAddress : advertisedAddress.application }
}
