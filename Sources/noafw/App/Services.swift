import Provisioning

/// What the verbs have done for them. The program passes ``LiveServices``, a test something else.
typealias Services = FlashService & VerifyService & RescueService & ScanService & DoctorService & ChatService & ConsoleService

/// What a chat has other verbs do.
extension ChatService where Self: FlashService & VerifyService {
    func compareVersions(_ job: ChatPreparation, events: @escaping @Sendable (JobEvent) -> Void) async throws -> VerifyReport {
        let request = VerifyRequest(
            unit: job.unit, inputs: job.inputs, components: Set(Component.allCases), isDeep: false, stateFolder: job.stateFolder)
        return try await verify(request, events: events)
    }

    func update(
        _ parts: Set<Component>, _ job: ChatPreparation, events: @escaping @Sendable (JobEvent) -> Void
    ) async throws -> UnitReport {
        var options = JobOptions()
        options.components = parts
        let request = FlashRequest(unit: job.unit, inputs: job.inputs, options: options, stateFolder: job.stateFolder)
        return try await flash(request, events: events)
    }
}
