import Bluetooth
import Support

/// Who is in reach: a fold over sightings, with smoothed signal strengths and without those that fell silent.
public struct ScanResults: Sendable {
    /// A unit advertises at least every 100 ms; one that was not heard for so long has gone.
    public static let silence = Duration.seconds(3)
    /// What a flood of invented addresses may fill.
    static let capacity = 256
    /// The same for who wants all of them.
    static let crowd = 16_384
    /// The weight of a new sighting: the body of a passer-by costs 10 dB for a moment.
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

    /// - Parameter isWanted: which is listed however many others are.
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

    /// - Returns: whether the sighting was of a unit.
    @discardableResult
    public mutating func note(_ advertisement: Advertisement, at now: SessionClock.Instant) -> Bool {
        guard var unit = families.recognise(advertisement) else { return false }
        let known = entries[unit.advertisedAddress]
        let heard = Double(min(20, max(-127, advertisement.rssi)))
        guard known != nil || hasRoom(for: unit, heard) else { return true }
        let rssi = known.map { $0.rssi + Self.newness * (heard - $0.rssi) } ?? heard
        unit.rssi = Int(rssi.rounded())
        entries[unit.advertisedAddress] = Entry(unit: unit, rssi: rssi, seen: now)
        return true
    }

    /// A full census has room for who is wanted or nearer, in the place of the weakest of the others.
    private mutating func hasRoom(for unit: DiscoveredUnit, _ heard: Double) -> Bool {
        guard entries.count >= capacity else { return true }
        let others = entries.filter { !isWanted($0.value.unit) }
        guard let weakest = others.min(by: { $0.value.rssi < $1.value.rssi }) else { return false }
        guard isWanted(unit) || heard > weakest.value.rssi else { return false }
        entries[weakest.key] = nil
        return true
    }

    /// Forgets who was not heard lately.
    public mutating func expire(at now: SessionClock.Instant) {
        entries = entries.filter { $0.value.seen.duration(to: now) < Self.silence }
    }
}
