import Assistant
import Bluetooth
import OpenAI
import Provisioning
import Support

/// Which unit a conversation is held with, what the unit should hold, and who answers.
struct ChatRequest: Sendable {
    var unit: UnitSelection
    var inputs: AssetInputs
    var stateFolder: String
    var records = RecordInputs()
    var assistant = AssistantChoice.echo
    var mode = AssistantMode.assistant
}

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

/// The unit of a chat.
protocol ChatUnit: Sendable {
    /// Compares the unit's versions with the expected ones.
    func compareVersions(events: @escaping @Sendable (RunEvent) -> Void) async throws -> ChatComparison
    func update(_ components: Set<Component>, events: @escaping @Sendable (RunEvent) -> Void) async throws -> UnitReport
    /// Starts the unit's program, and has `body` hold the conversation.
    func converse(_ body: @escaping @Sendable (ChatEnvironment) async throws -> ChatVerdict) async throws -> ChatVerdict
}

struct ChatComparison: Sendable {
    var report: VerifyReport
    /// What the unit was compared with.
    var expectation = "the catalogue"
    var advice = RepairAdvice.flash(isKnown: false)
}

/// A unit ready for a conversation.
struct ChatEnvironment: Sendable {
    typealias Report = @Sendable (ChatEvent) -> Void

    /// The unit's time; a virtual unit may have its own.
    var clock: SessionClock
    var family: FamilyID
    /// Only a virtual unit has them.
    var sensors: VirtualSensors?
    /// Holds the conversation until it is cancelled, or its link cannot be made.
    var converse: @Sendable (Inbox<SessionCommand>, @escaping Report) async throws -> Void
}

/// The result of a conversation that was not interrupted.
struct ChatVerdict: Verdict {
    var failure: Diagnosis?
    /// What a virtual unit shows at the end; `nil` where nobody looked.
    var display: [String]?
    /// Of a script's soaks, in their order.
    var soaks: [SoakResult] = []
    var passed: Bool { failure == nil }
}
