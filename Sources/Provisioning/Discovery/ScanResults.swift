import Bluetooth
import Support

/// The units in reach: a fold over sightings that smooths signal strengths and drops silent units.
public struct ScanResults: Sendable {
    /// A unit advertises at least every 100 ms, so one not heard for this long has gone.
    public static let silence = Duration.seconds(3)
    /// Limits a flood of invented addresses.
    static let capacity = 256
    /// The same limit for a caller that wants all units.
    static let crowd = 16_384
    /// The weight of a new sighting: a passer-by's body costs 10 dB for a moment.
    private static let newness = 0.3

    private struct Entry: Sendable {
        var unit: DiscoveredUnit
        var rssi: Double
        var seen: SessionClock.Instant
    }

    private var entries: [DeviceAddress: Entry] = [:]
    private let families: FamilyList
    private let isWanted: @Sendable (DiscoveredUnit) -> Bool
    private let capacity: Int

    /// - Parameter isWanted: units that are listed however many others there are.
    public init(
        of families: FamilyList, wanting isWanted: @escaping @Sendable (DiscoveredUnit) -> Bool = { _ in false }
    ) {
        self.init(of: families, wanting: isWanted, capacity: Self.capacity)
    }

    init(of families: FamilyList, wanting isWanted: @escaping @Sendable (DiscoveredUnit) -> Bool = { _ in false }, capacity: Int) {
        self.families = families
        self.isWanted = isWanted
        self.capacity = capacity
    }

    /// Strongest first.
    public var units: [DiscoveredUnit] {
        entries.values.map(\.unit).sorted { first, second in
            first.rssi != second.rssi
                ? first.rssi > second.rssi
                : first.advertisedAddress.octets.lexicographicallyPrecedes(second.advertisedAddress.octets)
        }
    }

    /// Of a unit; what else advertises is left out.
    public mutating func note(_ advertisement: Advertisement, at now: SessionClock.Instant) {
        guard var unit = families.recognise(advertisement) else { return }
        let known = entries[unit.advertisedAddress]
        let heard = Double(min(20, max(-127, advertisement.rssi)))
        guard known != nil || hasRoom(for: unit, heard) else { return }
        let rssi = known.map { $0.rssi + Self.newness * (heard - $0.rssi) } ?? heard
        unit.rssi = Int(rssi.rounded())
        entries[unit.advertisedAddress] = Entry(unit: unit, rssi: rssi, seen: now)
    }

    /// A full list makes room for a wanted or nearer unit by dropping the weakest of the others.
    private mutating func hasRoom(for unit: DiscoveredUnit, _ heard: Double) -> Bool {
        guard entries.count >= capacity else { return true }
        let others = entries.filter { !isWanted($0.value.unit) }
        guard let weakest = others.min(by: { $0.value.rssi < $1.value.rssi }) else { return false }
        guard isWanted(unit) || heard > weakest.value.rssi else { return false }
        entries[weakest.key] = nil
        return true
    }

    public mutating func expire(at now: SessionClock.Instant) {
        entries = entries.filter { $0.value.seen.duration(to: now) < Self.silence }
    }
}
