import Assistant
import Provisioning

/// Holds a conversation with one unit.
protocol ChatService: Sendable {
    /// Puts a unit on the air and has `body` hold a conversation with it.
    func chat(
        _ request: ChatRequest, _ body: @escaping @Sendable (ChatEnvironment) async throws -> ChatVerdict
    ) async throws -> ChatVerdict
    /// Compares the unit's versions with the catalogue's.
    func compareVersions(_ job: ChatPreparation, events: @escaping @Sendable (JobEvent) -> Void) async throws -> VerifyReport
    /// Brings components of the unit up to date.
    func update(
        _ parts: Set<Component>, _ job: ChatPreparation, events: @escaping @Sendable (JobEvent) -> Void
    ) async throws -> UnitReport
}

/// Which unit a conversation is prepared with, and what it should hold.
struct ChatPreparation: Sendable {
    var unit: UnitSelection
    var inputs: AssetInputs
    var stateFolder: String
}

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
