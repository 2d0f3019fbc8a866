import BlueZ
import Bluetooth
import Ledger
import Provisioning
import Support
import Synchronization

extension LiveServices {
    func watch(_ request: LineRequest, events: @escaping Events) async throws -> FleetReport<UnitReport> {
        let choice = try AssetChoice(
            request.options.components, for: try request.units.provisioned, from: request.inputs,
            allowsDevelopment: request.units.allowsDevelopment(request.inputs))
        let work = FlashWork(services: self, verb: "flash", options: request.options, station: request.records.station) {
            try choice.assets(for: $0.id, events: $1)
        }
        return try await recording(request.records, stateFolder: request.stateFolder, events: events) { recorder in
            try await withStation(
                request.units, search: request.inputs.search, stateFolder: request.stateFolder, silence: .unlimited, events: events
            ) { station in
                let task = UnitTask(station: station, work: work, recorder: recorder, stop: request.records.stop, events: events)
                guard let virtual = station.virtual else { return try await line(request, task) {} }
                let missed = Mutex<[FleetEntry<UnitReport>]>([])
                var report = try await virtual.inTurn(endingWith: request.drain) { unit, error in
                    let entry = FleetEntry<UnitReport>(unit: unit, result: UnitResult(error))
                    missed.withLock { $0.append(entry) }
                    events(RunEvent(unit: unit, content: .ended(entry.result, seconds: 0)))
                } _: {
                    try await line(request, task, leave: $0)
                }
                report.entries += missed.withLock(\.self)
                return report
            }
        }
    }

    /// - Parameter leave: takes the unit away that lies there.
    private func line(
        _ request: LineRequest, _ task: UnitTask<FlashWork>, leave: @escaping @Sendable () -> Void
    ) async throws -> FleetReport<UnitReport> {
        let station = task.station
        let rules = LineWatch.Rules(
            families: Set(request.units.families.map(\.id)), allowed: station.virtual?.addresses ?? request.allowed,
            threshold: request.threshold, known: station.virtual == nil ? try await station.endStaleConnections() : [])
        return try await LineRun(
            central: try station.firstAdapter.fleet.central, rules: rules, request: request,
            boundAddress: boundAddress(stateFolder: request.stateFolder), work: task.perform, leave: leave, events: task.events
        ).run()
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
}
