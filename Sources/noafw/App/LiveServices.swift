import Bluetooth
import Provisioning

/// Joins the verbs to the modules that do the work. Each verb's folder adds its own service.
struct LiveServices: Sendable {
    /// Opens and checks what a run needs before a unit is touched.
    func load(
        _ components: Set<Component>, for family: Family, from inputs: AssetInputs, allowsDevelopment: Bool,
        events: @escaping @Sendable (JobEvent) -> Void
    ) throws -> AssetSet {
        try AssetLoader(
            family: family, inputs: inputs, allowsDevelopment: allowsDevelopment, notice: { events(.notice($0)) }
        ).load(components)
    }

    /// Puts the unit on the air, and runs `body`.
    func withUnit<Value: Sendable>(
        _ unit: UnitSelection, inputs: AssetInputs, stateFolder: String,
        events: @escaping @Sendable (JobEvent) -> Void,
        _ body: @escaping @Sendable (any Central, DeviceAddress) async throws -> Value
    ) async throws -> Value {
        switch unit {
        case .virtual(let selection):
            return try await VirtualStation(selection, stateFolder: stateFolder, inputs: inputs).run(body)
        case .radio(let selection):
            return try await Radio.with(adapter: selection.adapter) { central in
                try await RadioStation(central: central, stateFolder: stateFolder, notice: { events(.notice($0)) })
                    .run(selection.selector, families: [unit.family.id]) { try await body(central, $0.address) }
            }
        }
    }
}
