import Bluetooth
import Ledger
import LedgerStore
import Provisioning
import Support

/// Joins the verbs to the modules that do the work. Each verb's folder adds its own service.
struct LiveServices: Services {
    /// The ledger in a folder.
    var ledger: @Sendable (_ folder: String) -> RunRecorder.KeptLedger = { SQLiteLedger(folder: $0) }

    /// Puts the unit on the air, or finds it there, takes it for this process, and runs `body` with it.
    /// - Parameter families: of which the unit may be; `nil` for those that can be written to.
    /// - Throws: ``UnitSelectionError`` when no unit, or more than one, can be meant.
    func withUnit<Value: Sendable>(
        _ selection: UnitSelection, families: [SupportedFamily]? = nil, search: AssetSearch, stateFolder: String, events: @escaping Events,
        _ body: @escaping @Sendable (StationUnit) async throws -> Value
    ) async throws -> Value {
        switch selection {
        case .virtual(let virtual):
            let station = try VirtualStation(virtual, stateFolder: stateFolder, search: search, notice: { events(.notice($0)) })
            let (support, sensors) = (station.support, station.sensors)
            return try await station.run { central, address in
                try await body(StationUnit(support: support, central: central, address: address, isVirtual: true, sensors: sensors))
            }
        case .radio(let radio):
            return try await Radio.with(adapter: radio.adapter, notice: { events(.notice($0)) }) { central in
                let unit = try await find(radio, of: families ?? selection.families, on: central, stateFolder: stateFolder, events: events)
                return try await own(unit, stateFolder: stateFolder) { try await body(unit) }
            }
        }
    }

    /// The unit's advertisement says of which family it is.
    func find(
        _ radio: RadioSelection, of families: [SupportedFamily], on central: any Central, stateFolder: String, events: @escaping Events
    ) async throws -> StationUnit {
        let station = RadioStation(central: central, stateFolder: stateFolder, notice: { events(.notice($0)) })
        let found = try await station.find(radio.selector, families: Set(families.map(\.id)), wait: radio.wait)
        events(RunEvent(unit: FleetUnit(found), time: central.clock.now, content: .found(found.family)))
        guard let support = families.first(where: { $0.id == found.family }) else { throw UnitSelectionError.otherFamily(found) }
        return StationUnit(
            support: support, central: central, address: found.address, rssi: found.rssi, adapter: await station.adapterAddress())
    }

    /// Takes a unit for this process, and notes it, before anything is done to it. A virtual one was taken when it was put on the air.
    func own<Value: Sendable>(_ unit: StationUnit, stateFolder: String, _ body: () async throws -> Value) async throws -> Value {
        guard !unit.isVirtual else { return try await body() }
        return try await RadioStation(central: unit.central, stateFolder: stateFolder).own(unit.address, unit.family.id, body)
    }
}
