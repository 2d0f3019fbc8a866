import Provisioning

extension LiveServices: FlashService {
    func flash(_ request: FlashRequest, events: @escaping @Sendable (RunEvent) -> Void) async throws -> UnitReport {
        let isVirtual = if case .virtual = request.unit { true } else { false }
        let assets = try load(
            request.options.parts, from: request.inputs, allowsDevelopment: isVirtual || request.inputs.allowsDevelopment, events: events)
        return try await withUnit(
            request.unit, assets: assets, inputs: request.inputs, stateFolder: request.stateFolder, events: events
        ) { central, address in
            try await MonocleRun(central: central, address: address, assets: assets, options: request.options)
                .flash(report: events)
        }
    }
}
