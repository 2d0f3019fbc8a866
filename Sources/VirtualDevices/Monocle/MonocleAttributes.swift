import Bluetooth

/// The attributes of a Monocle and of its bootloader (monocle-micropython `main.c`; nRF5 SDK `ble_dfu.h`).
enum MonocleAttributes {
    static let replService = AttributeID("6e400001-b5a3-f393-e0a9-e50e24dcca9e")
    static let replReceive = AttributeID("6e400002-b5a3-f393-e0a9-e50e24dcca9e")
    static let replTransmit = AttributeID("6e400003-b5a3-f393-e0a9-e50e24dcca9e")
    static let dataService = AttributeID("e5700001-7bac-429a-b4ce-57ff900f479d")
    static let dataReceive = AttributeID("e5700002-7bac-429a-b4ce-57ff900f479d")
    static let dataTransmit = AttributeID("e5700003-7bac-429a-b4ce-57ff900f479d")
    static let dfuService = AttributeID("fe59")
    static let dfuControlPoint = AttributeID("8ec90001-f315-4f60-9fb8-838830daea50")
    static let dfuPacket = AttributeID("8ec90002-f315-4f60-9fb8-838830daea50")
    static let notifying = [replTransmit, dataTransmit, dfuControlPoint]
}

/// The pace of a link (facts of the two firmwares; 1M PHY, 251-byte link-layer packets).
struct LinkPace {
    var interval: Duration = .milliseconds(15)
    /// How much of an interval the peripheral's radio may be on, for both directions.
    var eventLength: Duration
    var supervisionTimeout: Duration

    /// The firmware sets the event length to 300 × 1.25 ms: the whole interval (main.c).
    static let application = LinkPace(eventLength: .microseconds(15_000), supervisionTimeout: .seconds(2))
    static let bootloader = LinkPace(eventLength: .microseconds(7500), supervisionTimeout: .seconds(6))

    /// Time on air of one attribute value of `count` bytes with the acknowledgements between its link-layer packets.
    static func airtime(valueCount count: Int) -> Duration {
        let bytes = count + 7
        let packets = (bytes + 250) / 251
        return .microseconds((bytes + packets * 10) * 8 + packets * 380)
    }
}
