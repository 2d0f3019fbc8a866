import Support

/// When a server that did not answer is asked again: after 1 s, then twice as late each time, up to a minute, each time a little
/// earlier by chance. A pure machine.
struct Backoff: Sendable {
    static let (first, longest) = (Duration.seconds(1), Duration.seconds(60))

    private var delay = first
    private(set) var due: SessionClock.Instant?

    /// - Parameter chance: from 0 to 1.
    mutating func failed(at now: SessionClock.Instant, chance: Double) {
        due = now.advanced(by: delay * (0.5 + chance / 2))
        delay = min(delay * 2, Self.longest)
    }

    /// No try before a minute is over can help.
    mutating func gaveUp(at now: SessionClock.Instant) {
        delay = Self.longest
        failed(at: now, chance: 1)
    }

    mutating func succeeded() { self = Backoff() }
}
