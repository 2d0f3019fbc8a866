import Bluetooth
import DFU

/// A bootloader of Nordic's. It advertises at the address after the application's (nRF5 SDK, `nrf_dfu_ble.c`).
public struct BootloaderRules: Sendable {
    /// What it calls itself; anything may call itself so.
    public let names: Set<String>
    /// What it takes.
    public let target: DFUTarget
    public let vendorKey: TrustedKey

    public init(names: Set<String>, target: DFUTarget, vendorKey: TrustedKey) {
        self.names = names
        self.target = target
        self.vendorKey = vendorKey
    }

    /// Whether a device at the bootloader's address is a bootloader.
    func describes(_ advertisement: Advertisement) -> Bool {
        advertisement.services.contains(DFUSession.service) || advertisement.name.map(names.contains) ?? false
    }
}
