import Assistant
import Provisioning

/// The unit of a chat.
protocol ChatUnit: Sendable {
    /// Compares the unit's versions with those that it should have, and says where these are from.
    func compareVersions(events: @escaping @Sendable (RunEvent) -> Void) async throws -> ChatComparison
    /// Brings components of the unit up to date.
    func update(_ components: Set<Component>, events: @escaping @Sendable (RunEvent) -> Void) async throws -> UnitReport
    /// Starts the unit's program and has `body` hold a conversation with it.
    func converse(
        _ request: ChatRequest, _ body: @escaping @Sendable (ChatEnvironment) async throws -> ChatVerdict
    ) async throws -> ChatVerdict
}

/// Which unit a conversation is held with, and what it should hold.
struct ChatPreparation: Sendable {
    var unit: UnitSelection
    var inputs: AssetInputs
    var stateFolder: String
    var records = RecordInputs()
}

/// A unit beside what it should hold.
struct ChatComparison: Sendable {
    var report: VerifyReport
    /// What it was compared with.
    var expectation = "the catalogue"
    var advice = RepairAdvice.flash(isKnown: false)
}

/// What a conversation is held with beside the unit.
struct ChatRequest: Sendable {
    var assistant: AssistantChoice
    var mode: AssistantMode
}
