import Assistant
import Support

/// How a conversation is held with a family's units.
struct ChatSupport: Sendable {
    /// The app protocol, at the beginning of a conversation.
    let makeRelay: @Sendable () -> any AppRelay
    let makeStarter: @Sendable (SessionClock) -> ProgramStarter
}
