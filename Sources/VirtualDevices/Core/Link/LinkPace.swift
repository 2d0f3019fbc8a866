/// The pace of a link over 1M PHY with link-layer packets of 251 bytes.
package struct LinkPace: Sendable {
    var interval: Duration
    /// How much of an interval the peripheral's radio may be on, for both directions.
    var eventLength: Duration
    var supervisionTimeout: Duration

    package init(interval: Duration = .milliseconds(15), eventLength: Duration, supervisionTimeout: Duration) {
        (self.interval, self.eventLength, self.supervisionTimeout) = (interval, eventLength, supervisionTimeout)
    }

    /// nRF5 SDK 17, `ble_dfu` and `sdk_config.h`.
    static let bootloader = LinkPace(eventLength: .microseconds(7500), supervisionTimeout: .seconds(6))

    /// Time on air of one attribute value of `count` bytes with the acknowledgements between its link-layer packets.
    static func airtime(valueCount count: Int) -> Duration {
        let bytes = count + 7
        let packets = (bytes + 250) / 251
        return .microseconds((bytes + packets * 10) * 8 + packets * 380)
    }
}
