import Provisioning
import Support

/// What a command asks for, once its options are read.
protocol RunRequest: Sendable {
    associatedtype Report: Verdict
    /// - Throws: a ``DiagnosableError`` when the run ends before there is a unit to report on.
    func perform(by services: any Services, events: @escaping Services.Events) async throws -> Report
}

extension FlashRequest: RunRequest {
    func perform(by services: any Services, events: @escaping Services.Events) async throws -> FleetReport<UnitReport> {
        try await services.flash(self, events: events)
    }
}

extension VerifyRequest: RunRequest {
    func perform(by services: any Services, events: @escaping Services.Events) async throws -> FleetReport<ComparedReport> {
        comparison.complete(try await services.verify(self, events: events), isAll: fleet.units == .inReach)
    }
}
