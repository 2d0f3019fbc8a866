import Provisioning

extension LiveServices {
    func withChatUnit(
        _ preparation: ChatPreparation, notice: @escaping @Sendable (String) -> Void,
        _ body: @escaping @Sendable (any ChatUnit) async throws -> ChatVerdict
    ) async throws -> ChatVerdict {
        let notices = HeldNotices(notice)
        let tell: Events = { if case .notice(let text) = $0.content { notices.tell(text) } }
        return try await recording(preparation.records, stateFolder: preparation.stateFolder, events: tell) { recorder in
            try await withUnit(
                preparation.unit, search: preparation.inputs.search, stateFolder: preparation.stateFolder, events: tell
            ) { unit in
                guard let support = unit.support.chat else { throw CommandError.unsupported("chat", family: unit.family.id) }
                return try await run(LiveChatUnit(unit, support, preparation, self, recorder, notices), body)
            }
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
