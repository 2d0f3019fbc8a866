import Provisioning

extension LiveServices: FlashService {
    func flash(_ request: FlashRequest, events: @escaping @Sendable (JobEvent) -> Void) async throws -> UnitReport {
        let isVirtual = if case .virtual = request.unit { true } else { false }
        let family = request.unit.family
        let assets = try load(
            request.options.components, for: family, from: request.inputs, allowsDevelopment: isVirtual || request.inputs.allowsDevelopment, events: events)
        return try await withUnit(
            request.unit, inputs: request.inputs, stateFolder: request.stateFolder, events: events
        ) { central, address in
            try await ProvisioningJob(family: family, central: central, address: address, assets: assets, options: request.options)
                .run(report: events)
        }
    }
}
