import Assistant
import Bluetooth
import Support

/// A typed question among a session's events.
struct TypedQuestion: Sendable {
    struct Outcome: Sendable {
        var isOver = false
        /// Why the answer is missing or incomplete.
        var failure: Diagnosis?
    }

    /// Known once the session has accepted it.
    private var id: TurnID?

    /// - Returns: `nil` for other events.
    mutating func take(_ event: ChatEvent) -> Outcome? {
        switch event {
        case .asked(let id, .typed) where self.id == nil:
            self.id = id
            return Outcome()
        case .answered(id, _, .byError(let error)?): return Outcome(failure: ChatFailure.noAnswer(error))
        case .failed(id, let error): return Outcome(failure: ChatFailure.noAnswer(error))
        case .silent: return Outcome(isOver: true, failure: CommandError.programIsSilent.diagnosis)
        case .cancelled(id, let reason): return Outcome(isOver: true, failure: ChatFailure.cancelled(reason))
        case .sent(id, awaitsReceipt: false), .delivered(id): return Outcome(isOver: true)
        case .undeliverable(id, let loss): return Outcome(isOver: true, failure: ChatFailure.undeliverable(loss))
        default: return nil
        }
    }
}

/// How long a conversation's unit has been absent: the link was lost, and the program has not been ready since.
struct UnitAbsence: Sendable {
    /// A lost link returns within seconds, or not at all.
    static let timeout = Duration.seconds(60)

    /// When the absence is too long; `nil` while the unit is present.
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
