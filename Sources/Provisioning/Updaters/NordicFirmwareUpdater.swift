import Bluetooth
import DFU
import Support

/// Brings firmware to a unit through Nordic's bootloader.
public struct NordicFirmwareUpdater: ComponentUpdater {
    private let firmware: FirmwareAsset

    public init(_ firmware: FirmwareAsset) { self.firmware = firmware }

    public var component: Component { .firmware }
    public var version: String { firmware.version }
    public var byteCount: Int { firmware.image.bytes.count }
    /// Expected at 15 ms connection interval, measured on the virtual unit at the real link's pace.
    public var wholeUpdate: [StageEstimate] {
        let transfer = 1 + Double(byteCount) / 16_500
        return [
            StageEstimate(.bootloader, seconds: 6), StageEstimate(.firmware, seconds: transfer), StageEstimate(.restart, seconds: 5),
        ]
    }

    public func inspect(_ unit: UnitLease, _ job: JobState) async throws -> any PlannedUpdate {
        let actual = try await unit.version(of: .firmware)
        if job.transfers.whole > 0 { try conclude(actual, job) }
        let isCurrent = actual == version && !job.isForced(.firmware)
        return Planned(
            updater: self,
            plan: plan(isCurrent ? .current : .update, from: actual))
    }

    public func verify(_ unit: UnitLease, isDeep: Bool) async throws -> VerifyReport.Finding {
        VerifyReport.Finding(expected: version, actual: try await unit.version(of: .firmware))
    }

    private struct Planned: PlannedUpdate {
        let updater: NordicFirmwareUpdater
        let plan: ComponentPlan
        var erases: Bool { true }

        func apply(_ unit: UnitLease, _ job: JobState) async throws {
            job.start(.firmware, from: plan.from)
            job.begin(.bootloader)
            try await unit.reboot(into: .bootloader)
            try await updater.transfer(unit, job)
            try updater.conclude(try await unit.version(of: .firmware), job)
        }
    }

    /// What the unit says after the transfer is what it has; a bootloader that took everything proves nothing.
    private func conclude(_ actual: String?, _ job: JobState) throws {
        guard actual == version else {
            throw ProvisioningError.wrongVersion(.firmware, expected: version, actual: actual)
        }
        job.updated(.firmware, to: version, byteCount: byteCount)
    }

    /// Sends the image to a unit that is in its bootloader, and waits for its application.
    func transfer(_ unit: UnitLease, _ job: JobState) async throws {
        let counts = job.transfers
        guard counts.whole < TransferCounts.wholeLimit else {
            throw ProvisioningError.staysInBootloader(unit.address, transfers: counts.whole)
        }
        job.begin(.firmware)
        job.count { $0.lost += 1 }
        let summary = try await unit.withBootloader { connection in
            let session = DFUSession(connection: connection, clock: unit.clock, lostLinks: counts.lost)
            return try await session.transfer(firmware.image) { event in
                switch event {
                case .progress(let done, let total): job.progress(done, of: total)
                case .notice(let notice): job.notice("\(notice)")
                }
            }
        }
        if summary.isConfirmed { job.count { $0 = TransferCounts(lost: 0, whole: $0.whole + 1) } }
        job.begin(.restart)
        guard try await unit.locator.find([.application]) == nil else { return }
        if try await unit.locator.find([.bootloader], within: .seconds(3)) != nil {
            // A link that is lost before the flash rests leaves the last EXECUTE undone.
            guard summary.isConfirmed else { throw summary.lostLink(byteCount: byteCount) }
            throw ProvisioningError.staysInBootloader(unit.address, transfers: job.transfers.whole)
        }
        throw ProvisioningError.doesNotReturn
    }
}
