import Support

/// Notices total silence. It only reports it: a quiet room is like that for hours, and a failed discovery is the radio's
/// concern.
struct SilenceWatch: Sendable {
    static let limit = Duration.seconds(180)

    private var lastHeard: SessionClock.Instant
    private var isTold = false

    init(at now: SessionClock.Instant) { lastHeard = now }

    mutating func heard(at now: SessionClock.Instant) { (lastHeard, isTold) = (now, false) }

    /// - Returns: once for each silence, its duration.
    mutating func look(at now: SessionClock.Instant) -> Duration? {
        let silence = lastHeard.duration(to: now)
        guard !isTold, silence >= Self.limit else { return nil }
        isTold = true
        return silence
    }
}
