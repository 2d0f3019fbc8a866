import Provisioning

extension LiveServices: FlashService {
    func flash(_ request: FlashRequest, events: @escaping @Sendable (JobEvent) -> Void) async throws -> UnitReport {
        let choice = try AssetChoice(
            request.options.components, for: request.unit.families.map(\.family), from: request.inputs,
            allowsDevelopment: request.unit.allowsDevelopment(request.inputs))
        return try await withUnit(
            request.unit, search: request.inputs.search, stateFolder: request.stateFolder, events: events
        ) { unit in
            try await provision(unit, with: try choice.assets(for: unit.family.id, events: events), request.options, events: events)
        }
    }
}
