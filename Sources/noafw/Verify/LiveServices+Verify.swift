import Provisioning

extension LiveServices: VerifyService {
    func verify(_ request: VerifyRequest, events: @escaping @Sendable (JobEvent) -> Void) async throws -> VerifiedUnit {
        // It only reads: whatever the images are, no unit gets them.
        let choice = try AssetChoice(
            request.components, for: request.unit.families.map(\.family), from: request.inputs, allowsDevelopment: true)
        return try await recording(request.records, stateFolder: request.stateFolder, events: events) { recorder in
            try await withFoundUnit(request.unit, search: request.inputs.search, stateFolder: request.stateFolder, events: events) { unit in
                let assets = try choice.assets(for: unit.family.id, events: events)
                let run = UnitRun(stateFolder: request.stateFolder, recorder: recorder, events: events)
                let verified = try await verify(
                    unit, against: assets, isDeep: request.isDeep, programWatch: request.programWatch, run, judging: { $0 })
                return VerifiedUnit(report: verified.report, lastPass: verified.lastPass)
            }
        }
    }
}
