import Bluetooth
import Provisioning

/// Joins the verbs to the modules that do the work. Each verb's folder adds its own service.
struct LiveServices: Sendable {
    /// Opens and checks what a run needs before a unit is touched.
    func load(
        _ parts: Set<Part>, from inputs: AssetInputs, allowsDevelopment: Bool, events: @escaping @Sendable (RunEvent) -> Void
    ) throws -> MonocleAssets {
        try AssetLoader(inputs: inputs, allowsDevelopment: allowsDevelopment, notice: { events(.notice($0)) }).load(parts)
    }

    /// Puts the unit on the air, and runs `body`.
    func withUnit<Value: Sendable>(
        _ unit: UnitSelection, assets: MonocleAssets, inputs: AssetInputs, stateFolder: String,
        events: @escaping @Sendable (RunEvent) -> Void,
        _ body: @escaping @Sendable (any Central, DeviceAddress) async throws -> Value
    ) async throws -> Value {
        switch unit {
        case .virtual(let unit):
            return try await VirtualStation(unit, stateFolder: stateFolder, inputs: inputs, assets: assets).run(body)
        case .radio(let selection):
            return try await Radio.with(adapter: selection.adapter) { central in
                try await RadioStation(central: central, stateFolder: stateFolder, notice: { events(.notice($0)) })
                    .run(selection.wish, families: [.monocle]) { try await body(central, $0.address) }
            }
        }
    }
}
