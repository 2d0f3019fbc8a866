/// The offline peer: repeats what it heard, so that the radio path can be tried anywhere, without a key.
public struct EchoResponder: Responder {
    public init() {}

    /// Reports length and level; it recognises no words.
    public func hear(
        _ sound: Sound, as mode: AssistantMode, progress: @escaping @Sendable (ResponderProgress) -> Void
    ) async throws -> String {
        guard let level = sound.level, let peak = sound.peak else { return "\(Self.tenths(sound.seconds)) s of silence" }
        return "\(Self.tenths(sound.seconds)) s of sound at \(Int(level.rounded())) dBFS, peak \(Int(peak.rounded()))"
    }

    public func answer(
        _ conversation: Conversation, progress: @escaping @Sendable (ResponderProgress) -> Void
    ) async throws -> AnswerSummary {
        guard let last = conversation.messages.last else { throw AssistantError.emptyAnswer }
        progress(.text("I heard: \(last.text)"))
        if let photo = last.photo { progress(.text(", and got a picture of \(photo.bytes.count) bytes")) }
        return AnswerSummary()
    }

    private static func tenths(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}
