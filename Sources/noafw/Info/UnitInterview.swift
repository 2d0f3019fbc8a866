import Bluetooth
import Provisioning
import Support

/// Asks a unit of any family what it is.
enum UnitInterview {
    private static let connectTimeout = Duration.seconds(20)

    static func ask(_ unit: StationUnit, events: @escaping Services.Events) async throws -> InfoReport {
        if unit.family.provisioning != nil {
            let answer = try await IdentifyJob(family: unit.family, central: unit.central, address: unit.address).run(report: events)
            return InfoReport(family: unit.family.id, rssi: unit.rssi, answer: answer)
        }
        let identity = UnitIdentity(address: unit.address, name: unit.family.id.rawValue)
        var report = InfoReport(family: unit.family.id, rssi: unit.rssi, answer: UnitAnswer(mode: .application, identity: identity))
        let clock = unit.central.clock
        let connection = try await unit.central.connect(to: unit.address, deadline: clock.deadline(in: connectTimeout))
        do {
            report.details = try await unit.support.identify?(connection, clock) ?? []
        } catch {
            await connection.disconnect()
            throw error
        }
        await connection.disconnect()
        return report
    }
}
