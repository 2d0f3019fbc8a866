import Provisioning

extension LiveServices: ChatService {
    func withChatUnit(
        _ preparation: ChatPreparation, notice: @escaping @Sendable (String) -> Void,
        _ body: @escaping @Sendable (any ChatUnit) async throws -> ChatVerdict
    ) async throws -> ChatVerdict {
        let tell: Events = { if case .notice(let text) = $0.content { notice(text) } }
        return try await withUnit(
            preparation.unit, search: preparation.inputs.search, stateFolder: preparation.stateFolder, events: tell
        ) { unit in
            guard let support = unit.support.chat else { throw CommandError.unsupported("chat", family: unit.family.id) }
            return try await run(LiveChatUnit(unit, support, preparation, self), body)
        }
    }

    /// A unit that is not talked to after all goes on with its program.
    private func run(
        _ unit: LiveChatUnit, _ body: @Sendable (any ChatUnit) async throws -> ChatVerdict
    ) async throws -> ChatVerdict {
        do {
            let verdict = try await body(unit)
            await unit.release()
            return verdict
        } catch {
            await unit.release()
            throw error
        }
    }
}
