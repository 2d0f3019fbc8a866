import Bluetooth
import Support

/// Decides which signs of life are sightings. bluetoothd remembers devices for a while after they have gone, and long ones
/// it has met before: only a signal strength received now proves that a unit is near.
struct SightingTracker: Sendable {
    /// How long a signal strength counts as fresh.
    static let freshness = Duration.seconds(10)
    /// Sightings of one unit come no denser, unless it says something new.
    static let spacing = Duration.milliseconds(50)

    private var heard: [String: SessionClock.Instant] = [:]
    private var reported: [String: (advertisement: Advertisement, at: SessionClock.Instant)] = [:]

    /// - Parameter hasRSSI: the sign of life carried a signal strength.
    /// - Returns: the sighting to report, if it is one.
    mutating func observe(_ device: DeviceObject, hasRSSI: Bool, at now: SessionClock.Instant) -> Advertisement? {
        age(now)
        if hasRSSI { heard[device.path] = now }
        guard let rssi = device.rssi, heard[device.path] != nil else { return nil }
        let sighting = Advertisement(address: device.address, name: device.name, services: device.services, rssi: rssi)
        if let last = reported[device.path], last.at.duration(to: now) < Self.spacing,
            last.advertisement.name == sighting.name, last.advertisement.services == sighting.services
        {
            return nil
        }
        reported[device.path] = (sighting, now)
        return sighting
    }

    mutating func forget(_ path: String) {
        heard[path] = nil
        reported[path] = nil
    }

    /// Units that are tracked as near.
    var count: Int { heard.count }

    private mutating func age(_ now: SessionClock.Instant) {
        let old = heard.filter { $0.value.duration(to: now) > Self.freshness }.keys
        old.forEach { forget($0) }
    }
}
