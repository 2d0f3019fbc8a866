import Bluetooth
import Provisioning
import Support

/// Joins the verbs to the modules that do the work. Each verb's folder adds its own service.
struct LiveServices: Sendable {
    typealias Events = @Sendable (JobEvent) -> Void

    /// Puts the unit on the air, or finds it there, and runs `body` with it.
    /// - Throws: ``UnitSelectionError`` when no unit, or more than one, can be meant.
    func withUnit<Value: Sendable>(
        _ selection: UnitSelection, search: AssetSearch, stateFolder: String, events: @escaping Events,
        _ body: @escaping @Sendable (StationUnit) async throws -> Value
    ) async throws -> Value {
        switch selection {
        case .virtual(let virtual):
            let station = try VirtualStation(virtual, stateFolder: stateFolder, search: search, notice: { events(.notice($0)) })
            let (support, sensors) = (station.support, station.sensors)
            return try await station.run { central, address in
                try await body(StationUnit(support: support, central: central, address: address, sensors: sensors))
            }
        case .radio(let radio):
            return try await Radio.with(adapter: radio.adapter, notice: { events(.notice($0)) }) { central in
                try await withUnit(radio, of: selection.families, on: central, stateFolder: stateFolder, events: events, body)
            }
        }
    }

    /// The unit's advertisement says of which family it is.
    func withUnit<Value: Sendable>(
        _ radio: RadioSelection, of families: [SupportedFamily], on central: any Central, stateFolder: String,
        events: @escaping Events, _ body: (StationUnit) async throws -> Value
    ) async throws -> Value {
        let station = RadioStation(central: central, stateFolder: stateFolder, notice: { events(.notice($0)) })
        return try await station.run(radio.selector, families: Set(families.map(\.id)), wait: radio.wait) { found in
            events(JobEvent(unit: found.address, time: central.clock.now, content: .found(found.family)))
            guard let support = families.first(where: { $0.id == found.family }) else {
                throw UnitSelectionError.otherFamily(found)
            }
            return try await body(StationUnit(support: support, central: central, address: found.address, sensors: nil))
        }
    }

    /// Brings a unit to what its assets say.
    func provision(
        _ unit: StationUnit, with assets: AssetSet, _ options: JobOptions, events: @escaping Events
    ) async throws -> UnitReport {
        try await ProvisioningJob(family: unit.family, central: unit.central, address: unit.address, assets: assets, options: options)
            .run(report: events)
    }
}
