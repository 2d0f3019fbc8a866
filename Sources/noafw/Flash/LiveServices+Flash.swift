import Provisioning

extension LiveServices: FlashService {
    func flash(_ request: FlashRequest, events: @escaping @Sendable (JobEvent) -> Void) async throws -> UnitReport {
        let choice = try AssetChoice(
            request.options.components, for: request.unit.families.map(\.family), from: request.inputs,
            allowsDevelopment: request.unit.allowsDevelopment(request.inputs))
        let isRecorded = !request.options.dryRun
        return try await recording(request.records, stateFolder: request.stateFolder, isRecorded: isRecorded, events: events) { recorder in
            try await withFoundUnit(request.unit, search: request.inputs.search, stateFolder: request.stateFolder, events: events) { unit in
                let run = UnitRun(stateFolder: request.stateFolder, recorder: recorder, events: events)
                return try await flash(unit, with: try choice.assets(for: unit.family.id, events: events), request.options, run)
            }
        }
    }
}
