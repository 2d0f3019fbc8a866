import Ledger
import Support

/// The state of one lease by this machine's monotonic clock. A pure machine.
struct Lease: Sendable, Hashable {
    enum Answer: Sendable, Hashable { case renewed, refused, unknown }

    let times: LeaseTimes
    private(set) var validUntil: SessionClock.Instant
    /// Another station has or had the unit.
    private(set) var isRefused = false

    /// - Parameter asked: before the request was sent; the server counts from later on.
    init(times: LeaseTimes, asked: SessionClock.Instant) {
        (self.times, validUntil) = (times, asked.advanced(by: times.timeToLive))
    }

    func isHeld(at now: SessionClock.Instant) -> Bool { !isRefused && now < validUntil }

    func mayBeginErase(at now: SessionClock.Instant) -> Bool { !isRefused && now.duration(to: validUntil) >= times.renewal }

    mutating func note(_ answer: Answer, asked: SessionClock.Instant) {
        switch answer {
        case .renewed: validUntil = max(validUntil, asked.advanced(by: times.timeToLive))
        case .refused: isRefused = true
        case .unknown: break
        }
    }
}

/// How long a lease lasts, and how often it is renewed.
public struct LeaseTimes: Sendable, Hashable {
    /// From 1 s to 10 min, the server's limits.
    public var timeToLive: Duration
    /// At most a third of it, so that one renewal may fail. No erase begins with less than this left.
    public var renewal: Duration

    /// After an unanswered renewal. Random, so that stations which lost the server together do not ask together.
    var retry: Duration { renewal / 10 * Double.random(in: 0.5...1.5) }

    public init(timeToLive: Duration = .seconds(90), renewal: Duration = .seconds(30)) {
        (self.timeToLive, self.renewal) = (timeToLive, renewal)
    }
}
