import Bluetooth
import DFU
import Support

extension Component {
    public static let firmware = Component(.init(
        "firmware", order: 0, stages: [.bootloader, .firmware, .restart], evidence: .version, outdatesOthers: true,
        slot: CatalogueSlot(
            folder: "Firmware", suffix: ".zip", limitBytes: 4 << 20, beginning: Array("PK".utf8),
            suits: { package, target in
                try DFUPackage(bytes: package).images.contains { $0.initPacket.command.softDevices.contains(target.softDeviceID) }
            },
            check: { content in
                let package = try DFUPackage(bytes: content.bytes)
                try package.check(against: content.bootloader, trusting: content.keys())
                return CheckedAsset(
                    version: package.images.first?.version?.description,
                    isDevelopment: package.images.contains { DevelopmentMark.isIn($0.bytes) })
            })))
}

extension AssetContent {
    fileprivate var bootloader: DFUTarget {
        get throws {
            guard let target else { throw CatalogueError.hardwareUnknown(hardware) }
            return target
        }
    }
}

extension AssetCatalogue {
    public func firmware(for hardware: String) throws(CatalogueError) -> Content { try content(of: .firmware, for: hardware) }
}

extension Stage {
    public static let bootloader = Stage(
        "bootloader", remains: "the unit goes to its bootloader; its old firmware is whole, and it returns to it within 3 minutes")
    public static let firmware = Stage(
        "firmware", sendsBytes: true, remains: "the unit waits in its bootloader, its new firmware incomplete")
    public static let restart = Stage(
        "restart", remains: "the unit's new firmware is written and starts; the parts after it are not done")
}

public struct FirmwareAsset: ComponentAsset {
    public static var component: Component { .firmware }

    public let image: FirmwareImage
    /// What the unit reports once it runs this image.
    public let version: String

    /// Checks a package before any unit is touched: structure, hash, sizes, hardware, SoftDevice, signature.
    /// - Parameter version: `nil` reads it from the image.
    public init(package: DFUPackage, version: String?, target: DFUTarget, trusting keys: [TrustedKey]) throws {
        _ = try package.check(against: target, trusting: keys)
        guard let image = package.images.first, let version = version ?? image.version?.description else {
            throw ProvisioningError.versionUnknown("the firmware package")
        }
        (self.image, self.version) = (image, version)
    }

    public static func open(_ content: AssetContent, version: String?) throws -> FirmwareAsset {
        try FirmwareAsset(
            package: DFUPackage(bytes: content.bytes), version: version, target: content.bootloader, trusting: content.keys())
    }

    public var sha256: [UInt8] { Array(image.sha256) }
    public var updater: any ComponentUpdater { NordicFirmwareUpdater(self) }
}

/// Updates a unit's firmware through Nordic's bootloader.
public struct NordicFirmwareUpdater: ComponentUpdater {
    private let firmware: FirmwareAsset

    public init(_ firmware: FirmwareAsset) { self.firmware = firmware }

    public var component: Component { .firmware }
    public var version: String { firmware.version }
    public var byteCount: Int { firmware.image.bytes.count }
    /// Measured on the virtual unit at a connection interval of 15 ms, and how much more its objects take on a slower link.
    public func wholeUpdate(interval: Double) -> [StageEstimate] {
        let objects = (Double(byteCount) / 4096).rounded(.up)
        let transfer = 0.5 + Double(byteCount) / 27_500 + objects * 2.4 * (interval - 0.015)
        return [
            StageEstimate(.bootloader, seconds: 1.2), StageEstimate(.firmware, seconds: transfer), StageEstimate(.restart, seconds: 3.2),
        ]
    }

    public var leavesBootloader: Bool { true }

    public func checkAge(on unit: UnitIdentity) throws {
        let held = unit.versions[.firmware]
        guard held != version else { return }
        guard let theirs = held.flatMap(FirmwareVersion.init), let ours = FirmwareVersion(version) else {
            throw ProvisioningError.ageUnknown(unit: held, ours: version)
        }
        if ours < theirs { throw ProvisioningError.downgrade(from: theirs.description, to: ours.description) }
    }

    public func inspect(_ unit: UnitLease, _ job: JobState) async throws -> any PlannedUpdate {
        let actual = try await unit.version(of: .firmware)
        if job.transfers.whole > 0, !isOld(actual, job) { try conclude(actual, job) }
        let isCurrent = actual == version && !job.isForced(.firmware)
        return Planned(updater: self, plan: plan(isCurrent ? .current : .update, from: actual, interval: unit.connectionInterval))
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

    /// Only what the unit reports after the transfer counts; a bootloader that accepted everything proves nothing.
    private func conclude(_ actual: String?, _ job: JobState) throws {
        if isOld(actual, job) { throw ProvisioningError.oldFirmware(actual) }
        guard actual == version else {
            throw ProvisioningError.wrongVersion(.firmware, expected: version, actual: actual)
        }
        job.updated(.firmware, to: version, byteCount: byteCount)
    }

    /// Until its settings are written the bootloader can start the old firmware: where power fails meanwhile, the image is sent once more.
    private func isOld(_ actual: String?, _ job: JobState) -> Bool {
        job.transfers.whole < TransferCounts.wholeLimit && ![version, firmware.image.version?.description].contains(actual)
    }

    /// Sends the image to a unit that is in its bootloader, and waits for its application.
    public func transfer(_ unit: UnitLease, _ job: JobState) async throws {
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
            // If the link is lost before the flash is idle, the last EXECUTE is not done.
            guard summary.isConfirmed else { throw summary.lostLink(byteCount: byteCount) }
            throw ProvisioningError.staysInBootloader(unit.address, transfers: job.transfers.whole)
        }
        throw ProvisioningError.doesNotReturn
    }
}
