import Bluetooth

/// The attributes of a Monocle's application (monocle-micropython `main.c`).
enum MonocleAttributes {
    static let replService = AttributeID("6e400001-b5a3-f393-e0a9-e50e24dcca9e")
    static let replReceive = AttributeID("6e400002-b5a3-f393-e0a9-e50e24dcca9e")
    static let replTransmit = AttributeID("6e400003-b5a3-f393-e0a9-e50e24dcca9e")
    static let dataService = AttributeID("e5700001-7bac-429a-b4ce-57ff900f479d")
    static let dataReceive = AttributeID("e5700002-7bac-429a-b4ce-57ff900f479d")
    static let dataTransmit = AttributeID("e5700003-7bac-429a-b4ce-57ff900f479d")

    static let table = GATTTable(services: [
        GATTService(
            id: replService,
            characteristics: [
                GATTCharacteristic(id: replReceive, properties: [.write, .command]),
                GATTCharacteristic(id: replTransmit, properties: [.notify]),
            ]),
        GATTService(
            id: dataService,
            characteristics: [
                GATTCharacteristic(id: dataReceive, properties: [.write, .command]),
                GATTCharacteristic(id: dataTransmit, properties: [.notify]),
            ]),
    ])
}

extension PeripheralProfile {
    /// A Monocle that runs its application (main.c: hvn_tx_queue_size 2; an event of 300 × 1.25 ms takes the whole interval).
    static func monocle(address: DeviceAddress, largestMTU: Int) -> PeripheralProfile {
        PeripheralProfile(
            address: address, name: "monocle", advertisedServices: [MonocleAttributes.replService], table: MonocleAttributes.table,
            pace: LinkPace(eventLength: .microseconds(15_000), supervisionTimeout: .seconds(2)), largestMTU: largestMTU,
            notificationQueue: 2)
    }
}
