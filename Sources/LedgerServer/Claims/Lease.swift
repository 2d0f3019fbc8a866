import Ledger
import Support

/// What is known of one lease, by this machine's monotonic clock alone. A pure machine.
struct Lease: Sendable, Hashable {
    enum Answer: Sendable, Hashable { case renewed, refused, unknown }

    let times: LeaseTimes
    private(set) var validUntil: SessionClock.Instant
    /// Another station has the unit, or had it meanwhile.
    private(set) var isRefused = false

    /// - Parameter asked: before the request was sent: the server counts from later on.
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
