import Assistant
import Bluetooth
import Support

/// Answers as it is told, in the unit's time. What it was not told ends in an error.
struct ScriptedResponder: Responder {
    enum Step: Sendable {
        case text(String)
        case pause(Duration)
        case fail(AssistantError)
        case cut(AssistantError)
    }

    let clock: SessionClock
    let heard: [Result<String, AssistantError>]
    let answers: [[Step]]
    var tokens: Int?
    private let hearings = Counter()
    private let askings = Counter()

    init(_ clock: SessionClock, heard: [Result<String, AssistantError>] = [], answers: [[Step]] = [], tokens: Int? = nil) {
        (self.clock, self.heard, self.answers, self.tokens) = (clock, heard, answers, tokens)
    }

    func hear(
        _ sound: Sound, as mode: AssistantMode, progress: @escaping @Sendable (ResponderProgress) -> Void
    ) async throws -> String {
        let number = hearings.next()
        guard number <= heard.count else { throw AssistantError.timedOut("a script for hearing \(number)") }
        try await clock.sleep(until: clock.deadline(in: .milliseconds(300)))
        return try heard[number - 1].get()
    }

    func answer(
        _ conversation: Conversation, progress: @escaping @Sendable (ResponderProgress) -> Void
    ) async throws -> AnswerSummary {
        let number = askings.next()
        guard number <= answers.count else { throw AssistantError.timedOut("a script for answer \(number)") }
        for step in answers[number - 1] {
            switch step {
            case .text(let text): progress(.text(text))
            case .pause(let duration): try await clock.sleep(until: clock.deadline(in: duration))
            case .fail(let error): throw error
            case .cut(let error): return AnswerSummary(cutShort: .byError(error))
            }
        }
        return AnswerSummary(totalTokens: tokens)
    }
}
