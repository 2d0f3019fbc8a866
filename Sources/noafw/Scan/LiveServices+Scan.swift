import Bluetooth
import Provisioning
import Support

extension LiveServices {
    func scan(_ request: ScanRequest, look: @escaping @Sendable (ScanReport) -> Void) async throws -> ScanReport {
        // A damaged list of units costs only the notes.
        var report = ScanReport(units: [], known: (try? KnownUnits(stateFolder: request.stateFolder).addresses()) ?? [])
        try await Radio.with(adapter: request.adapter) { central in
            try await UnitFinder(central: central, families: .supported).watch(until: central.clock.deadline(in: request.listening)) {
                units, _ in
                report.units = units
                look(report)
                return false
            }
        }
        return report
    }
}
