import Bluetooth

/// Who is in reach: a fold over sightings, with smoothed signal strengths and without those that fell silent.
public struct UnitCensus: Sendable {
    /// A unit advertises at least every 100 ms; one that was not heard for so long has gone.
    public static let silence = Duration.seconds(3)
    /// What a flood of invented addresses may fill.
    static let capacity = 256
    /// The weight of a new sighting: the body of a passer-by costs 10 dB for a moment.
    private static let newness = 0.3

    private struct Entry: Sendable {
        var unit: SightedUnit
        var rssi: Double
        var seen: SessionClock.Instant
    }

    private var entries: [DeviceAddress: Entry] = [:]

    public init() {}

    /// Strongest first.
    public var units: [SightedUnit] {
        entries.values.map(\.unit).sorted {
            ($1.rssi, $0.advertisedAddress.description) < ($0.rssi, $1.advertisedAddress.description)
        }
    }

    /// - Returns: whether the sighting was of glasses.
    @discardableResult
    public mutating func note(_ advertisement: Advertisement, at now: SessionClock.Instant) -> Bool {
        guard var unit = SightedUnit(advertisement) else { return false }
        let known = entries[unit.advertisedAddress]
        guard known != nil || entries.count < Self.capacity else { return true }
        let heard = Double(min(20, max(-127, advertisement.rssi)))
        let rssi = known.map { $0.rssi + Self.newness * (heard - $0.rssi) } ?? heard
        unit.rssi = Int(rssi.rounded())
        entries[unit.advertisedAddress] = Entry(unit: unit, rssi: rssi, seen: now)
        return true
    }

    /// Forgets who was not heard lately.
    public mutating func expire(at now: SessionClock.Instant) {
        entries = entries.filter { $0.value.seen.duration(to: now) < Self.silence }
    }
}
