import Assistant
import Bluetooth
import Support

struct QuestionDriver: Sendable {
    let text: String
    let environment: ChatEnvironment

    /// The unit shows an error, too.
    private static let errorTimeout = Duration.seconds(10)

    func drive(_ commands: Inbox<SessionCommand>, _ inputs: Inbox<ChatInput>) async throws -> ChatVerdict {
        commands.deliver(.ask(text))
        var question = TypedQuestion()
        var verdict = ChatVerdict()
        var answer = ""
        var errorShownBy: SessionClock.Instant?
        var absence = UnitAbsence()
        while true {
            let deadline = [errorShownBy, absence.deadline].compactMap { $0 }.min() ?? environment.clock.deadline(in: .forever)
            guard let input = try await inputs.next(before: deadline, on: environment.clock) else {
                if verdict.failure == nil { throw absence.error }
                break
            }
            guard case .event(let event, _) = input else { continue }
            absence.take(event, on: environment.clock)
            if case .answered(_, let text, _) = event { answer = text }
            if let failure = ChatFailure.ofProgram(event) {
                verdict.failure = verdict.failure ?? failure
                break
            }
            guard let outcome = question.take(event) else { continue }
            if let failure = outcome.failure {
                verdict.failure = verdict.failure ?? failure
                errorShownBy = environment.clock.deadline(in: Self.errorTimeout)
            }
            if outcome.isOver { break }
        }
        verdict.display = try await environment.settledDisplay(after: answer)
        while case .event(let event, _)? = inputs.poll() { verdict.failure = verdict.failure ?? ChatFailure.ofProgram(event) }
        return verdict
    }
}
