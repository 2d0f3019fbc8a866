import Bluetooth

/// A model's bootloader: its build settings, and how it advertises.
package struct BootloaderProfile: Sendable {
    let configuration: BootloaderConfiguration
    let name: String

    package init(configuration: BootloaderConfiguration, name: String) { (self.configuration, self.name) = (configuration, name) }

    /// At the address after the unit's: its last octet wraps without a carry (nRF5 SDK, `nrf_dfu_ble.c`).
    /// - Parameter configuration: the unit's.
    func peripheral(of address: DeviceAddress, _ configuration: UnitConfiguration) -> PeripheralProfile {
        var octets = address.octets
        octets[5] &+= 1
        return PeripheralProfile(
            address: DeviceAddress(octets: octets) ?? address, name: name, advertisedServices: [DFUService.id], table: DFUService.table,
            pace: configuration.linkPace ?? .bootloader, largestMTU: configuration.largestMTU, notificationQueue: 1, isBootloader: true)
    }
}

/// Nordic's update service (nRF5 SDK 17, `ble_dfu.h`, `ble_dfu.c`).
enum DFUService {
    static let id = AttributeID("fe59")
    static let controlPoint = AttributeID("8ec90001-f315-4f60-9fb8-838830daea50")
    static let packet = AttributeID("8ec90002-f315-4f60-9fb8-838830daea50")
    static let table = GATTTable(services: [
        GATTService(
            id: id,
            characteristics: [
                GATTCharacteristic(id: packet, properties: [.command]),
                GATTCharacteristic(id: controlPoint, properties: [.write, .notify]),
            ])
    ])
}
