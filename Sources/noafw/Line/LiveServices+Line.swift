import BlueZ
import Bluetooth
import Ledger
import Provisioning
import Support
import Synchronization

extension LiveServices {
    func watch(_ request: LineRequest, events: @escaping Events) async throws -> FleetReport<UnitReport> {
        let choice = try AssetChoice(
            request.options.components, for: request.units.families.map(\.family), from: request.inputs,
            allowsDevelopment: request.units.allowsDevelopment(request.inputs))
        let bound = boundAddress(stateFolder: request.stateFolder)
        let missed = Mutex<[FleetEntry<UnitReport>]>([])
        let miss = { @Sendable (unit: FleetUnit, error: any Error) in
            let entry = FleetEntry<UnitReport>(unit: unit, result: UnitResult(error))
            missed.withLock { $0.append(entry) }
            events(RunEvent(unit: unit, content: .ended(entry.result, seconds: 0)))
        }
        var report = try await recording(request.records, stateFolder: request.stateFolder, events: events) { recorder in
            try await withLine(request, notice: { events(.notice($0)) }, missed: miss) { central, adapter, known, allowed, leave in
                let rules = LineWatch.Rules(
                    families: Set(request.units.families.map(\.id)), allowed: allowed ?? request.allowed, threshold: request.threshold,
                    known: known)
                let run = LineRun(central: central, rules: rules, request: request, boundAddress: bound) { found, serial in
                    let found = FoundUnit(unit: FleetUnit(found), found: found, central: central, events: events)
                    var unit = try found.onStation(isVirtual: allowed != nil, adapter: adapter)
                    unit.rssi = found.found.rssi
                    let run = found.run(request.stateFolder, recorder, serial: serial)
                    return try await provision(
                        "flash", unit, with: try choice.assets(for: unit.family.id, events: run.events), request.options, run)
                } events: { event in
                    events(event)
                    if case .ended = event.content { leave() }
                }
                return try await run.run()
            }
        }
        report.entries += missed.withLock(\.self)
        return report
    }

    /// The newest run that names a serial number binds it.
    private func boundAddress(stateFolder: String) -> @Sendable (String) async -> String? {
        let ledger = ledger("\(stateFolder)/ledger")
        return { serial in
            var filter = RunFilter()
            (filter.serial, filter.limit) = (RecordText.optional(serial), 1)
            return try? await ledger.runs(filter).last?.unitAddress
        }
    }

    /// - Parameter body: gets the adapter's central and address, the units that this station has worked on, the virtual units' addresses,
    ///   and what takes the unit away that lies there.
    private func withLine<Value: Sendable>(
        _ request: LineRequest, notice: @escaping @Sendable (String) -> Void, missed: @escaping @Sendable (FleetUnit, any Error) -> Void,
        _ body:
            @escaping @Sendable (any Central, String?, Set<DeviceAddress>, Set<DeviceAddress>?, @escaping @Sendable () -> Void) async throws
            -> Value
    ) async throws -> Value {
        guard case .virtual(let names, let speed) = request.units.units else {
            return try await Radio.with(adapters: request.units.adapters, silence: .unlimited, notice: notice) { adapters in
                guard let adapter = adapters.first else { throw LinkError.unavailable("there is no adapter") }
                let known = try KnownUnits(stateFolder: request.stateFolder).load()
                let station = RadioStation(central: adapter.fleet.central, stateFolder: request.stateFolder, notice: notice)
                try await station.endStaleConnections(.only, families: Set(request.units.families.map(\.id)), known: known)
                return try await body(adapter.fleet.central, adapter.address, Set(known.compactMap { DeviceAddress($0.address) }), nil, {})
            }
        }
        let line = try VirtualLine(names, speed: speed, stateFolder: request.stateFolder, search: request.inputs.search, notice: notice)
        return try await line.run(endingWith: request.drain, missed: missed) { try await body($0, nil, [], line.addresses, $1) }
    }
}
