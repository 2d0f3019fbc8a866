import Support

/// Notices a discovery that died without a word (bluez/bluez#1126, #367): pure.
struct ScanWatchdog: Sendable {
    static let silence = Duration.seconds(60)
    /// Restarts in vain before it is told.
    static let attempts = 2

    private var lastHeard: SessionClock.Instant
    private var restarts = 0

    init(at now: SessionClock.Instant) { lastHeard = now }

    mutating func heard(at now: SessionClock.Instant) { (lastHeard, restarts) = (now, 0) }

    /// It goes on trying after it was told.
    mutating func look(at now: SessionClock.Instant) -> [LineWatch.Action] {
        guard lastHeard.duration(to: now) >= Self.silence else { return [] }
        lastHeard = now
        restarts += 1
        return restarts == Self.attempts + 1 ? [.radioHangs, .restartScan] : [.restartScan]
    }
}
