import Assistant
import Support

/// A question that was typed, among all that a session tells.
struct TypedQuestion: Sendable {
    struct Outcome: Sendable {
        var isOver = false
        /// Why there is no whole answer.
        var failure: Diagnosis?
    }

    /// Known once the session has taken it.
    private var id: TurnID?

    /// - Returns: `nil` for what has nothing to do with this question.
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
