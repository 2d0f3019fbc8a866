import Support

/// How long a discovery may hear nothing.
public struct SilenceLimits: Sendable, Hashable {
    /// Until it is started anew.
    public var patience = Duration.seconds(60)
    /// So often in a row it is started anew before its radio is said to hang; `nil` never says so: where nothing has to be on the air, as
    /// at an empty place of a line, silence is no sign.
    public var renewals: Int? = 2

    public init() {}

    /// Of whoever waits for units all day.
    public static var unlimited: SilenceLimits {
        var limits = SilenceLimits()
        limits.renewals = nil
        return limits
    }
}

/// Notices a discovery that hears nothing any more: events in, what to do out.
///
/// After hours or days a discovery may end without a word (bluez/bluez#1126, #367, #572, #1554). Starting it anew helps, unless the
/// radio or bluetoothd hangs. A scan that is shorter than the patience is never disturbed, however quiet the air.
struct DiscoveryWatchdog: Sendable {
    enum Step: Sendable, Hashable {
        /// Stop the discovery and start it again.
        case renew
        case giveUp
    }

    private let limits: SilenceLimits
    /// Since when the discovery that runs has heard nothing.
    private var silentSince: SessionClock.Instant?
    private var renewals = 0

    init(limits: SilenceLimits = SilenceLimits()) { self.limits = limits }

    /// The discovery was started anew, as it heard nothing.
    var isRenewing: Bool { renewals > 0 }

    /// - Parameter isWanted: somebody listens, though the discovery may pause.
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
