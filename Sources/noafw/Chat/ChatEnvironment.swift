import Assistant
import Bluetooth
import Support
import VirtualDevices

/// What a conversation is to be held with.
struct ChatRequest: Sendable {
    var unit: UnitSelection
    var inputs: AssetInputs
    var assistant: AssistantChoice
    var mode: AssistantMode
    var stateFolder: String
    /// Gets what the operator should know of the station.
    var notice: @Sendable (String) -> Void = { _ in }
}

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
    /// Hands, voice and eyes, which only a virtual unit lends.
    var senses: VirtualSenses?
    /// Holds the conversation until it is cancelled, or its link cannot be made.
    var converse: @Sendable (Inbox<SessionCommand>, @escaping Report) async throws -> Void
}

/// What a person does with a virtual unit.
struct VirtualSenses: Sendable {
    var hand: @Sendable (HandEvent) -> Void
    /// A WAV file's bytes, heard by the next recordings.
    var speak: @Sendable ([UInt8]) throws -> Void
    /// A JPEG file's bytes, seen by the next pictures.
    var show: @Sendable ([UInt8]) throws -> Void
    /// The lines on the display, from top to bottom. Untrusted text.
    var display: @Sendable () -> [String]
}

/// How a conversation ended that was not broken off.
struct ChatVerdict: RunVerdict {
    /// Why it counts as failed.
    var failure: Diagnosis?
    /// What a virtual unit shows at the end; `nil` where nobody looked.
    var display: [String]?
    var passed: Bool { failure == nil }
}

enum ChatTime {
    /// Longer than any conversation.
    static let forever = Duration.seconds(100_000_000)
}
