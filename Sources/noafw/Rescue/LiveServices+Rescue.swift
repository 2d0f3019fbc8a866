import Provisioning

extension LiveServices {
    func rescue(_ request: RescueRequest, events: @escaping @Sendable (JobEvent) -> Void) async throws -> RescueReport {
        let isRecorded = !request.options.dryRun
        return try await recording(request.records, stateFolder: request.stateFolder, isRecorded: isRecorded, events: events) { recorder in
            try await Radio.with(adapter: request.radio.adapter) { central in
                let station = RadioStation(central: central, stateFolder: request.stateFolder, notice: { events(.notice($0)) })
                return try await Rescue(station: station, request: request, services: self, recorder: recorder, events: events).run()
            }
        }
    }
}
