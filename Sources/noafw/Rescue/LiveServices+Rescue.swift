import Provisioning

extension LiveServices: RescueService {
    func rescue(_ request: RescueRequest, events: @escaping @Sendable (JobEvent) -> Void) async throws -> RescueReport {
        try await Radio.with(adapter: request.radio.adapter) { central in
            let station = RadioStation(
                central: central, stateFolder: request.stateFolder, notice: { events(.notice($0)) })
            let recorder = request.options.dryRun ? nil : recorder(request.records, stateFolder: request.stateFolder)
            return try await Rescue(station: station, request: request, services: self, recorder: recorder, events: events).run()
        }
    }
}
