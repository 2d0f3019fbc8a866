import Assistant
import Bluetooth
import Support

/// How long a conversation's unit has been away: its link was lost, and its program has not been ready since.
struct UnitAbsence: Sendable {
    /// A lost link is made again within seconds, or nobody is there.
    static let timeout = Duration.seconds(60)

    /// When it has been away for too long; `nil` while it is there.
    private(set) var deadline: SessionClock.Instant?
    /// Links since then.
    private var returnCount = 0
    private var reason = ""

    mutating func take(_ event: ChatEvent, on clock: SessionClock) {
        switch event {
        case .lost(let reason):
            self.reason = reason
            deadline = deadline ?? clock.deadline(in: Self.timeout)
        case .connected: returnCount += deadline == nil ? 0 : 1
        case .ready: self = UnitAbsence()
        default: break
        }
    }

    var error: CommandError { .unitStaysAway(seconds: Self.timeout.inSeconds, returns: returnCount, reason: reason) }
}
