/// Who answers: an OpenAI-compatible server (``OpenAIResponder``) or nobody but an echo (``EchoResponder``).
///
/// Both calls obey cancellation. What they throw is a `DiagnosableError` or `CancellationError`.
public protocol Responder: Sendable {
    /// What was said, as text: in its own language for the assistant, in English for the translator.
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
    /// The server did not take the request; it is made again after a pause.
    case retrying(after: Duration, because: AssistantError)
}

/// What is known once an answer has ended. Its text is what the pieces make together.
public struct AnswerSummary: Sendable, Hashable {
    public var totalTokens: Int?
    /// Why the text is not whole, although something came: the stream broke off, or a limit was reached.
    public var cutShort: CutShort?

    public enum CutShort: Sendable, Hashable {
        case byLength
        case byError(AssistantError)
    }

    public init(totalTokens: Int? = nil, cutShort: CutShort? = nil) {
        self.totalTokens = totalTokens
        self.cutShort = cutShort
    }
}
