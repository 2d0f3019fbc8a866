import Provisioning

extension LiveServices: VerifyService {
    func verify(_ request: VerifyRequest, events: @escaping @Sendable (JobEvent) -> Void) async throws -> VerifyReport {
        // It only reads: whatever the images are, no unit gets them.
        let choice = try AssetChoice(
            request.components, for: request.unit.families.map(\.family), from: request.inputs, allowsDevelopment: true)
        return try await withUnit(
            request.unit, search: request.inputs.search, stateFolder: request.stateFolder, events: events
        ) { unit in
            let assets = try choice.assets(for: unit.family.id, events: events)
            return try await VerifyJob(
                family: unit.family, central: unit.central, address: unit.address, assets: assets, isDeep: request.isDeep
            ).run(report: events)
        }
    }
}
