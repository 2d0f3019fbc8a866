import Bluetooth

/// Unsupported units in reach. Each is reported once, and only the first few, since anybody can use such a name.
public struct UnsupportedUnits: Sendable {
    private static let limit = 4
    private var told: Set<DeviceAddress> = []

    public init() {}

    /// - Returns: those not yet reported.
    public mutating func note(_ units: [DiscoveredUnit]) -> [DiscoveredUnit] {
        units.filter { !$0.isSupported && told.count < Self.limit && told.insert($0.advertisedAddress).inserted }
    }
}

public struct DiscoveredUnit: Sendable, Hashable {
    public var family: FamilyID
    public var mode: UnitMode
    /// As advertised: in its bootloader a unit has the address after its own.
    public var advertisedAddress: DeviceAddress
    /// Untrusted text.
    public var name: String
    /// In dBm, smoothed.
    public var rssi: Int
    /// Whether noafw supports its family.
    public var isSupported: Bool
    /// As ``Family/insteadOfFlash``.
    public var insteadOfFlash: String?

    public init(
        family: FamilyID, mode: UnitMode, advertisedAddress: DeviceAddress, name: String, rssi: Int, isSupported: Bool = true,
        insteadOfFlash: String? = nil
    ) {
        self.family = family
        self.mode = mode
        self.advertisedAddress = advertisedAddress
        self.name = name
        self.rssi = rssi
        self.isSupported = isSupported
        self.insteadOfFlash = insteadOfFlash
    }

    /// The address that identifies a unit in any mode: its application's, or the advertised one if that is unknown.
    public var address: DeviceAddress { mode == .application || !isSupported ? advertisedAddress : advertisedAddress.application }
}
