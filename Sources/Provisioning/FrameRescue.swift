import Bluetooth
import DFU
import Support

/// Brings a Frame that is stranded in its bootloader back to a running application. Its versions are not asked, which takes
/// its Lua prompt and a bond: the firmware is transferred, and not proved.
public struct FrameRescue: Sendable {
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
        var transferCount = 0
        var escalation = Escalation(mayRestartUnit: false)
        while true {
            do {
                try await attempt(&record, &transferCount)
                return finished(record, nil)
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                guard escalation.remedy(for: error, progress: record.advances, hasLink: false) != nil else {
                    return finished(record, diagnose(error))
                }
                record.recovers(by: .reconnect, from: diagnose(error))
            }
        }
    }

    private func finished(_ record: RunRecord, _ error: Diagnosis?) -> UnitReport {
        var report = record.finished(error)
        report.family = DeviceFamily.frame.rawValue
        report.identity.name = unit.name
        return report
    }

    /// - Parameter transferCount: how often the bootloader has taken the whole image, in this attempt or earlier ones.
    private func attempt(_ record: inout RunRecord, _ transferCount: inout Int) async throws {
        switch try await look(for: [.application, .bootloader], within: MonocleRadio.sightPatience) {
        case .application where transferCount == 0: record.notice("\(unit.address) runs its application again: nothing is left to do")
        case .application: record.transferred(.firmware, to: firmware.version, bytes: firmware.image.bytes.count)
        case .bootloader:
            guard transferCount < MonocleRun.transferLimit else {
                throw ProvisioningError.staysInBootloader(unit.address, transfers: transferCount)
            }
            let summary = try await transfer(&record)
            if summary.isConfirmed { transferCount += 1 }
            record.begin(.restart)
            guard try await look(for: [.application], within: Self.returnPatience) != nil else {
                let isThere = try await look(for: [.bootloader], within: MonocleRadio.sightPatience) != nil
                guard summary.isConfirmed || !isThere else { throw summary.lostLink(byteCount: firmware.image.bytes.count) }
                throw isThere ? ProvisioningError.staysInBootloader(unit.address, transfers: transferCount) : .doesNotReturn
            }
            record.transferred(.firmware, to: firmware.version, bytes: firmware.image.bytes.count)
        case nil: throw transferCount > 0 ? ProvisioningError.doesNotReturn : .unitNotFound(unit.address)
        }
        record.complete()
    }

    private func transfer(_ record: inout RunRecord) async throws -> TransferSummary {
        let clock = central.clock
        record.start(.firmware, from: nil)
        record.begin(.firmware)
        let relay = record.relay(.firmware)
        let lostLinks = record.lostTransfers
        record.lostTransfers += 1
        let connection = try await central.connect(
            to: unit.advertisedAddress, deadline: clock.deadline(in: MonocleRadio.connectPatience))
        do {
            let summary = try await DFUSession(connection: connection, clock: clock, lostLinks: lostLinks).transfer(firmware.image) { event in
                switch event {
                case .progress(let done, let total): relay.progress(done, of: total)
                case .notice(let notice): relay.notice("\(notice)")
                }
            }
            if summary.isConfirmed { record.lostTransfers = 0 }
            await connection.disconnect()
            return summary
        } catch {
            await connection.disconnect()
            throw error
        }
    }

    /// - Returns: the mode in which the unit is seen, its application rather than what calls itself its bootloader; `nil` when it is
    ///   not seen in time.
    private func look(for modes: Set<SightedUnit.Mode>, within patience: Duration) async throws -> SightedUnit.Mode? {
        var seen: SightedUnit.Mode?
        var end: SessionClock.Instant?
        try await UnitFinder(central: central).watch(until: central.clock.deadline(in: patience)) { units, now in
            let here = Set(units.filter { $0.address == unit.address }.map(\.mode)).intersection(modes)
            seen = here.contains(.application) ? .application : here.first ?? seen
            if seen == .bootloader, end == nil { end = now.advanced(by: MonocleRadio.strangerPatience) }
            return seen == .application || end.map { now >= $0 } ?? false
        }
        return seen
    }
}
