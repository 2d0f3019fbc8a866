import Assistant
import Bluetooth
import OpenAI
import Provisioning
import Support

/// A conversation's unit, its expected versions, and its responder.
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

    /// For a status line: only the host, never a key.
    var name: String {
        switch self {
        case .echo: "echo"
        case .server(let settings): "\(settings.chatModel) at \(settings.baseURL.host)"
        }
    }
}

protocol ChatUnit: Sendable {
    /// Compares the unit's versions with the expected ones.
    func compareVersions(events: @escaping @Sendable (RunEvent) -> Void) async throws -> ChatComparison
    func update(_ components: Set<Component>, events: @escaping @Sendable (RunEvent) -> Void) async throws -> UnitReport
    /// Starts the unit's program, and runs `body` as the conversation.
    func converse(_ body: @escaping @Sendable (ChatEnvironment) async throws -> ChatVerdict) async throws -> ChatVerdict
}

struct ChatComparison: Sendable {
    var report: VerifyReport
    /// Names what the unit was compared with.
    var expectation = "the catalogue"
    var advice = RepairAdvice.flash(isKnown: false)
}

struct ChatEnvironment: Sendable {
    typealias Report = @Sendable (ChatEvent) -> Void

    /// The unit's time; a virtual unit may have its own.
    var clock: SessionClock
    var family: FamilyID
    /// `nil` keeps nothing of the conversation.
    var address: DeviceAddress?
    /// Only for a virtual unit.
    var sensors: VirtualSensors?
    /// Converses until it is cancelled or its link fails.
    var converse: @Sendable (Inbox<SessionCommand>, @escaping Report) async throws -> Void
}

/// The result of a conversation that was not interrupted.
struct ChatVerdict: Verdict {
    var failure: Diagnosis?
    /// A virtual unit's display at the end; `nil` if unknown.
    var display: [String]?
    /// The results of a script's soaks, in order.
    var soaks: [SoakResult] = []
    var passed: Bool { failure == nil }
}
