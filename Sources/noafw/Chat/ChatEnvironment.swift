import Assistant
import Bluetooth
import OpenAI
import Provisioning
import Support

/// Who answers.
enum AssistantChoice: Sendable {
    case echo
    case server(AssistantSettings)

    /// For a status line; the host alone, never a key.
    var name: String {
        switch self {
        case .echo: "echo"
        case .server(let settings): "\(settings.chatModel) at \(settings.baseURL.host)"
        }
    }
}

/// A unit ready for a conversation.
struct ChatEnvironment: Sendable {
    typealias Report = @Sendable (ChatEvent) -> Void

    /// The unit's time, which a virtual one may have to itself.
    var clock: SessionClock
    /// `nil` where it was known before.
    var family: FamilyID?
    /// Hands, voice and eyes, which only a virtual unit lends.
    var sensors: VirtualSensors?
    /// Holds the conversation until it is cancelled, or its link cannot be made.
    var converse: @Sendable (Inbox<SessionCommand>, @escaping Report) async throws -> Void
}

/// How a conversation ended that was not broken off.
struct ChatVerdict: Verdict {
    /// Why it counts as failed.
    var failure: Diagnosis?
    /// What a virtual unit shows at the end; `nil` where nobody looked.
    var display: [String]?
    /// Of a script's soaks, in their order.
    var soaks: [SoakResult] = []
    var passed: Bool { failure == nil }
}
