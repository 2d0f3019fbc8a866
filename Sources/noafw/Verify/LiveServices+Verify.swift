import Provisioning

extension LiveServices: VerifyService {
    func verify(_ request: VerifyRequest, events: @escaping @Sendable (RunEvent) -> Void) async throws -> VerifyReport {
        // It only reads: whatever the images are, no unit gets them.
        let assets = try load(request.parts, from: request.inputs, allowsDevelopment: true, events: events)
        return try await withUnit(
            request.unit, assets: assets, inputs: request.inputs, stateFolder: request.stateFolder, events: events
        ) { central, address in
            try await MonocleVerification(central: central, address: address, assets: assets, isDeep: request.isDeep)
                .run(report: events)
        }
    }
}
