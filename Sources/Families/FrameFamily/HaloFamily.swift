import Bluetooth
import Provisioning

extension FamilyID {
    public static let halo = FamilyID("halo")
}

extension Family {
    /// Brilliant Labs' Halo, which advertises Frame's service and is left alone. It bonds with any subscriber, and its first bond ends
    /// its open pairing (halo-firmware, `ble_lua.c`).
    public static let halo = Family(id: .halo, recognise: Halo.recognise)
}

enum Halo {
    private static let namePrefix = "Halo "
    /// In application and bootloader (halo-firmware, `ble_connection.c`).
    private static let addressPrefixes: [[UInt8]] = [[0xFE, 0x59, 0x94], [0xFF, 0x59, 0x94]]
    /// Only a Halo has these: one next to Frame's, and the SMP characteristic, which receives its firmware.
    private static let characteristics = [
        AttributeID("7a230005-5475-a6a4-654c-8431f6ad49c4"), AttributeID("da2e7828-fbce-4e01-ae9e-261174997c48"),
    ]

    @Sendable static func recognise(_ advertisement: Advertisement) -> UnitMode? {
        let prefix = Array(advertisement.address.octets.prefix(3))
        guard addressPrefixes.contains(prefix) || advertisement.name?.hasPrefix(namePrefix) == true else { return nil }
        return prefix == addressPrefixes[1] ? .bootloader : .application
    }

    /// Does not ask the unit: a subscription would make it bond.
    @Sendable static func refuse(_ connection: any Connection) throws(FrameError) {
        guard !characteristics.contains(where: connection.offers) else { throw .halo(isBonded: connection.isNewlyBonded) }
    }
}
