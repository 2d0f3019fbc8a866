import Bluetooth
import Ledger
import Provisioning
import Support

extension LiveServices {
    func rescue(_ request: FlashRequest, events: @escaping Events) async throws -> RescueReport {
        _ = try request.fleet.provisioned
        return try await recording(
            request.records, stateFolder: request.stateFolder, isRecorded: !request.options.dryRun, events: events
        ) { recorder in
            try await withStation(
                request.fleet, search: request.inputs.search, stateFolder: request.stateFolder, events: events
            ) { try await rescue(request, at: $0, recorder, events: events) }
        }
    }

    func rescue(
        _ request: FlashRequest, at station: Station, _ recorder: RunRecorder? = nil, events: @escaping Events
    ) async throws -> RescueReport {
        let heard = try await StrandedUnits.find(at: station, isDraining: { request.drain.isAsked })
        for unit in heard.units { events(.notice("\(unit.address) (\(unit.family)) is stranded in its bootloader")) }
        let work = FlashWork(
            services: self, verb: "rescue", options: request.options, station: request.records.station, notices: OnceNotices(events)
        ) { family, notice in
            try AssetChoice(
                request.options.components, for: [family], from: request.inputs, allowsDevelopment: request.inputs.allowsDevelopment
            ).assets(for: family.id, events: notice)
        }
        let run = FleetRun(
            selection: request.fleet, search: request.inputs.search, stateFolder: request.stateFolder, drain: request.drain,
            records: request.records, events: events)
        let task = UnitTask(station: station, work: work, recorder: recorder, stop: request.records.stop, events: events)
        let report = await run.fleet(task).run(heard.units.map { .unit($0) }, report: events)
        return RescueReport(fleet: report, heard: heard)
    }
}
