import Provisioning

extension LiveServices: VerifyService {
    func verify(_ request: VerifyRequest, events: @escaping @Sendable (JobEvent) -> Void) async throws -> VerifyReport {
        // It only reads: whatever the images are, no unit gets them.
        let family = request.unit.family
        let assets = try load(request.components, for: family, from: request.inputs, allowsDevelopment: true, events: events)
        return try await withUnit(
            request.unit, inputs: request.inputs, stateFolder: request.stateFolder, events: events
        ) { central, address in
            try await VerifyJob(family: family, central: central, address: address, assets: assets, isDeep: request.isDeep)
                .run(report: events)
        }
    }
}
