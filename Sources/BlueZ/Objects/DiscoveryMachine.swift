import Bluetooth
import Support

/// Runs this process's one discovery while somebody wants it: events in, requests out. While a start is pending, bluetoothd answers a
/// stop with InProgress, so the next request waits for the answer.
struct DiscoveryMachine: Sendable {
    enum Request: Sendable, Hashable {
        /// SetDiscoveryFilter and StartDiscovery.
        case start(adapter: String)
        case stop(adapter: String)
    }

    private enum Phase { case idle, starting, running, stopping }

    private var phase = Phase.idle
    /// The phase's adapter.
    private var current = ""
    private(set) var listeners = 0
    /// Connection attempts that need the radio alone.
    private(set) var pauses = 0
    private var adapter = ""

    /// The adapter that discovers.
    var runningOn: String? { phase == .running ? current : nil }
    var isIdle: Bool { phase == .idle }

    func uses(_ adapter: String) -> Bool { listeners > 0 && adapter == self.adapter }

    mutating func addListener(on adapter: String) -> Request? {
        listeners += 1
        self.adapter = adapter
        return next()
    }

    mutating func removeListener() -> Request? {
        listeners = max(0, listeners - 1)
        return next()
    }

    mutating func pause() -> Request? {
        pauses += 1
        return next()
    }

    mutating func resume() -> Request? {
        pauses = max(0, pauses - 1)
        return next()
    }

    /// Stops the running discovery; the answer restarts it if it is still wanted.
    mutating func renew() -> Request? {
        guard phase == .running else { return nil }
        phase = .stopping
        return .stop(adapter: current)
    }

    mutating func started(_ isOn: Bool) -> Request? {
        guard phase == .starting else { return nil }
        if isOn { phase = .running } else { lost() }
        return next()
    }

    /// Ignores the answer: an error means that nothing ran.
    mutating func stopped() -> Request? {
        guard phase == .stopping else { return nil }
        phase = .idle
        return next()
    }

    mutating func lost() {
        phase = .idle
        listeners = 0
    }

    private mutating func next() -> Request? {
        let isWanted = listeners > 0 && pauses == 0
        switch phase {
        case .idle where isWanted:
            phase = .starting
            current = adapter
            return .start(adapter: adapter)
        case .running where !isWanted || current != adapter:
            return renew()
        default: return nil
        }
    }
}

/// How long a discovery may hear nothing.
public struct SilenceLimits: Sendable, Hashable {
    /// Until it is restarted.
    public var patience = Duration.seconds(60)
    /// Restarts in a row before the radio counts as hung; `nil` where silence means nothing, as at an empty place of a line.
    public var renewals: Int? = 2

    /// A minute, and two restarts.
    public init() {}

    /// Restarts without end: silence means nothing.
    public static var unlimited: SilenceLimits {
        var limits = SilenceLimits()
        limits.renewals = nil
        return limits
    }
}

/// Notices a discovery that no longer hears anything: events in, steps out. After hours or days a discovery may stop silently
/// (bluez/bluez#1126, #367, #572, #1554). A restart helps, unless the radio or bluetoothd hangs. Scans shorter than the patience are
/// never disturbed.
struct DiscoveryWatchdog: Sendable {
    enum Step: Sendable, Hashable {
        case renew
        case giveUp
    }

    private let limits: SilenceLimits
    /// When the running discovery last heard something.
    private var silentSince: SessionClock.Instant?
    private var renewals = 0

    init(limits: SilenceLimits = SilenceLimits()) { self.limits = limits }

    var isRenewing: Bool { renewals > 0 }

    /// - Parameter isWanted: it may still be paused.
    mutating func observe(isRunning: Bool, isWanted: Bool, at now: SessionClock.Instant) {
        if !isWanted { renewals = 0 }
        guard isRunning else { return silentSince = nil }
        if silentSince == nil { silentSince = now }
    }

    mutating func heard(at now: SessionClock.Instant) {
        guard silentSince != nil else { return }
        silentSince = now
        renewals = 0
    }

    mutating func check(at now: SessionClock.Instant) -> Step? {
        guard let silentSince, silentSince.duration(to: now) >= limits.patience else { return nil }
        if let most = limits.renewals, renewals >= most { return .giveUp }
        renewals += 1
        // Until the discovery has restarted.
        self.silentSince = now
        return .renew
    }

    /// The time until something is due; `nil` while nothing is watched.
    func rest(from now: SessionClock.Instant) -> Duration? {
        silentSince.map { max(.zero, limits.patience - $0.duration(to: now)) }
    }
}

/// Decides which signals are sightings. bluetoothd remembers devices that have gone; only a fresh signal strength proves that a unit is
/// near.
struct SightingTracker: Sendable {
    static let freshness = Duration.seconds(10)
    /// Between two sightings of one unit, unless the second has news.
    static let spacing = Duration.milliseconds(50)

    private var heard: [String: SessionClock.Instant] = [:]
    private var reported: [String: (advertisement: Advertisement, at: SessionClock.Instant)] = [:]

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

    /// Units that are near.
    var count: Int { heard.count }

    private mutating func age(_ now: SessionClock.Instant) {
        let old = heard.filter { $0.value.duration(to: now) > Self.freshness }.keys
        old.forEach { forget($0) }
    }
}
