import Bluetooth
import Provisioning
import Support

extension LiveServices {
    func rescue(_ request: FlashRequest, events: @escaping Events) async throws -> RescueReport {
        try await recording(request.records, stateFolder: request.stateFolder, isRecorded: !request.options.dryRun, events: events) {
            recorder in
            try await Radio.with(adapters: request.fleet.adapters, notice: { _ in }) { adapters in
                guard let adapter = adapters.first else { throw LinkError.unavailable("there is no adapter") }
                return try await rescue(request, on: adapter.fleet, address: adapter.address, recorder, events: events)
            }
        }
    }

    /// - Parameter address: the adapter's.
    func rescue(
        _ request: FlashRequest, on adapter: FleetAdapter, address: String? = nil, _ recorder: RunRecorder? = nil, events: @escaping Events
    ) async throws -> RescueReport {
        let selector: UnitSelector = if case .one(let selector) = request.fleet.units { selector } else { .only }
        let station = RadioStation(central: adapter.central, stateFolder: request.stateFolder, notice: { events(.notice($0)) })
        let units = try KnownUnits(stateFolder: request.stateFolder).load()
        try await station.endStaleConnections(selector, families: Set(request.fleet.families.map(\.id)), known: units)
        let known = Set(units.compactMap { DeviceAddress($0.address) })
        let heard = try await StrandedUnits.find(
            selector, known: known, on: adapter.central, wait: request.fleet.wait, isDraining: { request.drain.isAsked })
        for unit in heard.units { events(.notice("\(unit.address) (\(unit.family)) is stranded in its bootloader")) }
        let once = OnceNotices(events)
        let run = FleetRun<UnitReport>(request.fleet, nil, request.drain, request.records.stop, events)
        let report = await run.perform(heard.units.map { .unit($0) }, on: [adapter]) { found in
            let unit = try found.onStation(adapter: address)
            let choice = try AssetChoice(
                request.options.components, for: [unit.family], from: request.inputs, allowsDevelopment: request.inputs.allowsDevelopment)
            let assets = try choice.assets(for: unit.family.id, events: once.tell)
            return try await provision("rescue", unit, with: assets, request.options, found.run(request.stateFolder, recorder))
        }
        return RescueReport(fleet: report, heard: heard)
    }
}
