import BlueZ
import Bluetooth
import Ledger
import LedgerStore
import Provisioning
import Support

/// Joins the verbs to the modules that do the work. Each verb's folder adds its own service.
struct LiveServices: Services {
    /// The ledger in a folder.
    var ledger: @Sendable (_ folder: String) -> RunRecorder.KeptLedger = { SQLiteLedger(folder: $0) }
    var conditions = VirtualConditions()

    /// Runs `body` with the bench that a selection names, and gives the adapters back whatever happens.
    /// - Parameter silence: of the adapters' discoveries.
    /// - Throws: ``BlueZError``, ``CommandError``.
    func withStation<Value: Sendable>(
        _ selection: UnitSelection, search: AssetSearch, stateFolder: String, silence: SilenceLimits = SilenceLimits(),
        events: @escaping Events, _ body: @escaping @Sendable (Station) async throws -> Value
    ) async throws -> Value {
        let notice = { @Sendable in events(.notice($0)) }
        guard case .virtual(let names, let speed) = selection.units else {
            return try await Radio.with(adapters: selection.adapters, silence: silence, notice: notice) { adapters in
                try await body(Station(selection: selection, adapters: adapters, stateFolder: stateFolder, notice: notice))
            }
        }
        let fleet = try VirtualFleet(
            names, speed: speed, stateFolder: stateFolder, search: search, conditions: conditions, notice: notice)
        return try await fleet.run { adapter in
            try await body(
                Station(selection: selection, adapters: [adapter], stateFolder: stateFolder, notice: notice, virtual: fleet))
        }
    }

    /// Finds the one unit that is meant, takes it for this process, and runs `body` with it.
    /// - Throws: ``UnitSelectionError`` when no unit, or more than one, can be meant.
    func withUnit<Value: Sendable>(
        _ selection: UnitSelection, search: AssetSearch, stateFolder: String, events: @escaping Events,
        _ body: @escaping @Sendable (StationUnit) async throws -> Value
    ) async throws -> Value {
        try await withStation(selection, search: search, stateFolder: stateFolder, events: events) { station in
            let unit: StationUnit
            do {
                unit = try await station.onlyUnit(events: events)
            } catch let error as UnitSelectionError {
                throw AbsentUnit(error, of: selection.families.map(\.family)) ?? error
            }
            return try await own(unit, stateFolder: stateFolder) { try await unit.presence.during { try await body(unit) } }
        }
    }

    /// Takes a unit for this process, and notes it, before anything is done to it. A virtual one is taken when it is put on the air.
    func own<Value: Sendable>(_ unit: StationUnit, stateFolder: String, _ body: () async throws -> Value) async throws -> Value {
        guard !unit.isVirtual else { return try await body() }
        try await KnownUnits(stateFolder: stateFolder).record(unit.family.id, unit.address, clock: unit.central.clock)
        if let label = unit.label { try await UnitNames(stateFolder: stateFolder).set(label, for: unit.address, clock: unit.central.clock) }
        let lock = try UnitLock(unit: unit.address, stateFolder: stateFolder)
        defer { withExtendedLifetime(lock) {} }
        return try await body()
    }
}
