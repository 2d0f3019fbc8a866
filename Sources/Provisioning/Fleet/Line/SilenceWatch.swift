import Support

/// Notices that nothing at all is heard. It only tells: an empty place in a quiet room is like that for hours, and a discovery that died is
/// the radio's business.
struct SilenceWatch: Sendable {
    static let limit = Duration.seconds(180)

    private var lastHeard: SessionClock.Instant
    private var isTold = false

    init(at now: SessionClock.Instant) { lastHeard = now }

    mutating func heard(at now: SessionClock.Instant) { (lastHeard, isTold) = (now, false) }

    /// - Returns: once for each silence, how long it has lasted.
    mutating func look(at now: SessionClock.Instant) -> Duration? {
        let silence = lastHeard.duration(to: now)
        guard !isTold, silence >= Self.limit else { return nil }
        isTold = true
        return silence
    }
}
