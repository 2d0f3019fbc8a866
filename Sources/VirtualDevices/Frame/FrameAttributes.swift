import Bluetooth

/// The attributes of a Frame's application (frame-codebase, `bluetooth.c`).
enum FrameAttributes {
    static let service = AttributeID("7a230001-5475-a6a4-654c-8431f6ad49c4")
    static let receive = AttributeID("7a230002-5475-a6a4-654c-8431f6ad49c4")
    static let transmit = AttributeID("7a230003-5475-a6a4-654c-8431f6ad49c4")
    /// Bytes of either value.
    static let largestValue = 244

    /// Anybody may subscribe; only an encrypted link may write.
    static let table = GATTTable(services: [
        GATTService(
            id: service,
            characteristics: [
                GATTCharacteristic(id: receive, properties: [.write, .command], needsEncryption: true),
                GATTCharacteristic(id: transmit, properties: [.notify]),
            ])
    ])
}

extension PeripheralProfile {
    /// A Frame that runs its application: an event takes the whole interval, and the radio keeps one notification
    /// (bluetooth.c, `hvn_tx_queue_size`). When its place is free again within an event is a guess of ours.
    static func frame(address: DeviceAddress, firmware: FrameFirmware, largestMTU: Int) -> PeripheralProfile {
        PeripheralProfile(
            address: address, name: name(of: address, firmware), advertisedServices: [FrameAttributes.service], table: FrameAttributes.table,
            pace: LinkPace(eventLength: .microseconds(15_000), supervisionTimeout: .seconds(2)),
            largestMTU: min(largestMTU, firmware.largestMTU),
            notificationQueue: 1, requestsSecurity: true)
    }

    /// The most significant octet is the one that is printed first.
    private static func name(of address: DeviceAddress, _ firmware: FrameFirmware) -> String {
        firmware.has(.numberedName) ? "Frame \(address.description.prefix(2))" : "Frame"
    }
}
