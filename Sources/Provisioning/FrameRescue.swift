import Bluetooth
import DFU

/// Brings a Frame that is stranded in its bootloader back to a running application. Its versions are not asked: that
/// takes its Lua prompt.
public struct FrameRescue: Sendable {
    private static let attemptLimit = 4
    private static let connectPatience = Duration.seconds(15)
    private static let returnPatience = Duration.seconds(30)

    private let central: any Central
    private let unit: SightedUnit
    private let firmware: MonocleAssets.Firmware

    public init(central: any Central, unit: SightedUnit, firmware: MonocleAssets.Firmware) {
        self.central = central
        self.unit = unit
        self.firmware = firmware
    }

    /// - Throws: `CancellationError` alone; what went wrong stands in the report.
    public func run(isDryRun: Bool, report: @escaping @Sendable (RunEvent) -> Void) async throws -> UnitReport {
        var record = RunRecord(address: unit.address, parts: [.firmware], clock: central.clock, report: report)
        if isDryRun {
            record.planned(.firmware, from: nil, to: firmware.version)
            return finished(record, nil)
        }
        record.start(.firmware, from: nil)
        for attempt in 1...Self.attemptLimit {
            do {
                try await attemptOnce(&record)
                return finished(record, nil)
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                guard attempt < Self.attemptLimit, MonocleRadio.isWorthAnotherPass(error, isFirst: false) else {
                    return finished(record, diagnose(error))
                }
                record.notice("\(diagnose(error).message) [\(diagnose(error).code)]: trying again")
            }
        }
        return finished(record, diagnose(ProvisioningError.doesNotReturn))
    }

    private func finished(_ record: RunRecord, _ error: Diagnosis?) -> UnitReport {
        var report = record.finished(error)
        report.family = DeviceFamily.frame.rawValue
        report.identity.name = unit.name
        return report
    }

    private func attemptOnce(_ record: inout RunRecord) async throws {
        let clock = central.clock
        record.begin(.firmware)
        let relay = record.relay(.firmware)
        let connection = try await central.connect(
            to: unit.advertisedAddress, deadline: clock.deadline(in: Self.connectPatience))
        do {
            try await DFUSession(connection: connection, clock: clock).transfer(firmware.image) { event in
                switch event {
                case .progress(let done, let total): relay.progress(done, of: total)
                case .notice(let notice): relay.notice("\(notice)")
                }
            }
            await connection.disconnect()
        } catch {
            await connection.disconnect()
            throw error
        }
        record.begin(.restart)
        guard try await isBack() else { throw ProvisioningError.doesNotReturn }
        record.updated(.firmware, to: firmware.version, bytes: firmware.image.bytes.count)
        record.complete()
    }

    private func isBack() async throws -> Bool {
        var isSeen = false
        try await UnitFinder(central: central).watch(until: central.clock.deadline(in: Self.returnPatience)) { units, _ in
            isSeen = units.contains { $0.address == unit.address && $0.mode == .application }
            return isSeen
        }
        return isSeen
    }
}
