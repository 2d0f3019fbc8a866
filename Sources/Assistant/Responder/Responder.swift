/// Answers questions: a server with OpenAI's API, or an echo (``EchoResponder``).
///
/// Both calls obey cancellation. They throw a `DiagnosableError` or `CancellationError`.
public protocol Responder: Sendable {
    /// Transcribes: in the wearer's language for the assistant, in English for the translator.
    /// - Returns: an empty text when nothing was said.
    func hear(
        _ sound: Sound, as mode: AssistantMode, progress: @escaping @Sendable (ResponderProgress) -> Void
    ) async throws -> String

    /// Answers the last message of a conversation.
    /// - Parameter progress: gets the text as it is being written, in order, on any thread.
    func answer(
        _ conversation: Conversation, progress: @escaping @Sendable (ResponderProgress) -> Void
    ) async throws -> AnswerSummary
}

public enum ResponderProgress: Sendable, Hashable {
    /// More of the answer; never empty.
    case text(String)
    case retrying(after: Duration, because: AssistantError)
}

/// Known once an answer has ended.
public struct AnswerSummary: Sendable, Hashable {
    public var totalTokens: Int?
    /// Why the text is incomplete.
    public var cutShort: CutShort?

    public enum CutShort: Sendable, Hashable {
        case byLength
        case byError(AssistantError)
    }

    public init(totalTokens: Int? = nil, cutShort: CutShort? = nil) { (self.totalTokens, self.cutShort) = (totalTokens, cutShort) }
}
