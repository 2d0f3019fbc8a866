import Bluetooth

/// How a unit shows itself to the air, and what it offers to a central, in one of its modes.
package struct PeripheralProfile: Sendable {
    var address: DeviceAddress
    var name: String
    var advertisedServices: Set<AttributeID>
    var table: GATTTable
    var pace: LinkPace
    /// ATT MTU, in bytes.
    var largestMTU: Int
    /// Notifications that the radio takes at most before one has been sent.
    var notificationQueue: Int
    /// It sends a Security Request as soon as a link is up.
    var requestsSecurity = false
    /// The MTU of a bootloader: it rounds the payload down to whole words of its flash.
    var isBootloader = false

    package init(
        address: DeviceAddress, name: String, advertisedServices: Set<AttributeID>, table: GATTTable, pace: LinkPace, largestMTU: Int,
        notificationQueue: Int, requestsSecurity: Bool = false, isBootloader: Bool = false
    ) {
        (self.address, self.name, self.advertisedServices, self.table, self.pace) = (address, name, advertisedServices, table, pace)
        (self.largestMTU, self.notificationQueue) = (largestMTU, notificationQueue)
        (self.requestsSecurity, self.isBootloader) = (requestsSecurity, isBootloader)
    }

    /// What the unit answers to a central that asks for `requested` bytes.
    func mtu(requested: Int) -> Int {
        let mtu = min(requested, largestMTU)
        return isBootloader ? SecureBootloader.negotiatedMTU(requested: mtu) : mtu
    }

    /// In dBm: a unit on the same table.
    private static let signalStrength = -48

    var advertisement: Advertisement {
        Advertisement(address: address, name: name, services: advertisedServices, rssi: Self.signalStrength)
    }
}
