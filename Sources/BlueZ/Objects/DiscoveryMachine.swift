import Bluetooth
import Support

/// Keeps this process's one discovery session in step with how many want it: events in, requests out. bluetoothd answers InProgress to a
/// stop while a start is under way, so the next request waits for the answer.
struct DiscoveryMachine: Sendable {
    enum Request: Sendable, Hashable {
        /// SetDiscoveryFilter and StartDiscovery.
        case start(adapter: String)
        case stop(adapter: String)
    }

    private enum Phase { case idle, starting, running, stopping }

    private var phase = Phase.idle
    /// Of the phase.
    private var current = ""
    private(set) var listeners = 0
    /// Connection attempts that want the radio for themselves.
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

    /// Stops the discovery that runs; the answer starts it again, while it is wanted.
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

    /// Whatever the answer says: an error means that nothing ran.
    mutating func stopped() -> Request? {
        guard phase == .stopping else { return nil }
        phase = .idle
        return next()
    }

    /// bluetoothd or the adapter is gone.
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
    /// Until it is started anew.
    public var patience = Duration.seconds(60)
    /// Starts anew in a row before the radio is said to hang; `nil` where silence is no sign, as at an empty place of a line.
    public var renewals: Int? = 2

    public init() {}

    public static var unlimited: SilenceLimits {
        var limits = SilenceLimits()
        limits.renewals = nil
        return limits
    }
}

/// Notices a discovery that hears nothing any more: events in, steps out. After hours or days a discovery may end without a word
/// (bluez/bluez#1126, #367, #572, #1554). Starting it anew helps, unless the radio or bluetoothd hangs. A scan that is shorter than the
/// patience is never disturbed.
struct DiscoveryWatchdog: Sendable {
    enum Step: Sendable, Hashable {
        case renew
        case giveUp
    }

    private let limits: SilenceLimits
    /// Since when the discovery that runs has heard nothing.
    private var silentSince: SessionClock.Instant?
    private var renewals = 0

    init(limits: SilenceLimits = SilenceLimits()) { self.limits = limits }

    var isRenewing: Bool { renewals > 0 }

    /// - Parameter isWanted: it may pause.
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
        // Until the discovery has stopped and started again.
        self.silentSince = now
        return .renew
    }

    /// How long nothing is due; `nil` while nothing is watched.
    func rest(from now: SessionClock.Instant) -> Duration? {
        silentSince.map { max(.zero, limits.patience - $0.duration(to: now)) }
    }
}

/// Decides which signs of life are sightings. bluetoothd remembers devices that have gone: only a fresh signal strength proves that a unit
/// is near.
struct SightingTracker: Sendable {
    static let freshness = Duration.seconds(10)
    /// Of one unit's sightings, unless it says something new.
    static let spacing = Duration.milliseconds(50)

    private var heard: [String: SessionClock.Instant] = [:]
    private var reported: [String: (advertisement: Advertisement, at: SessionClock.Instant)] = [:]

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
