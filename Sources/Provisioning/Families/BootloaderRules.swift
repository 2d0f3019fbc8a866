import Bluetooth
import DFU

/// A Nordic bootloader. It advertises at the address after the application's (nRF5 SDK, `nrf_dfu_ble.c`).
public struct BootloaderRules: Sendable {
    /// The names it advertises; anything may use them.
    public let names: Set<String>
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
