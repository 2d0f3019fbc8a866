import ESPImage
import Provisioning

extension Component {
    /// It goes to the inactive slot; nothing that the unit needs is erased.
    static let keyboardFirmware = Component(.init("firmware", order: 0, stages: [.download, .slotRestart], evidence: .version))
}

extension Stage {
    static let download = Stage(
        "download", sendsBytes: true, remains: "the unit keeps its old firmware; what it has of the new one is not used")
    static let slotRestart = Stage(
        "restart", remains: "the unit has its new firmware and restarts by itself; nobody has seen that it works")
}

/// Checked keyboard firmware.
public struct KeyboardFirmware: ComponentAsset {
    public static var component: Component { .keyboardFirmware }

    /// `CMakeLists.txt`, `partitions.csv`.
    public static let target = ESPTarget(chip: .esp32s3, projectName: "IOS-Keyboard", slotByteCount: 0x18_0000)

    let image: ESPImage
    let number: KeyboardVersion

    /// - Parameter version: the version that the unit will report; `nil` reads it from the image.
    /// - Throws: `ESPImageError`, ``OTAError/versionUnclear``.
    public init(_ bytes: [UInt8], version: String? = nil) throws {
        image = try ESPImage(bytes)
        try image.check(for: Self.target)
        guard let number = version.map({ KeyboardVersion($0) }) ?? KeyboardVersion.stated(by: image) else { throw OTAError.versionUnclear }
        self.number = number
    }

    public var version: String { number.description }
    public var sha256: [UInt8] { image.sha256 }
    public var updater: any ComponentUpdater { KeyboardFirmwareUpdater(firmware: self) }
}

/// Brings firmware to a keyboard over Wi-Fi.
struct KeyboardFirmwareUpdater: ComponentUpdater {
    static let plainNotice =
        "the keyboard checks no signature and speaks plain HTTP: anybody in its network can give it another firmware, at any time"

    let firmware: KeyboardFirmware

    var component: Component { .keyboardFirmware }
    var version: String { firmware.version }
    var byteCount: Int { firmware.image.bytes.count }
    /// A guess of 100 kB/s, never measured on a real unit.
    func wholeUpdate(interval: Double) -> [StageEstimate] {
        [StageEstimate(.download, seconds: 2 + Double(byteCount) / 100_000), StageEstimate(.slotRestart, seconds: 12)]
    }

    func inspect(_ unit: UnitLease, _ job: JobState) async throws -> any PlannedUpdate {
        let actual = try await unit.version(of: component)
        let isCurrent = actual == version && !job.isForced(component)
        let plan = ComponentPlan(
            component: component, action: isCurrent ? .current : .update, from: actual, to: version, byteCount: byteCount,
            estimates: isCurrent ? [] : wholeUpdate(interval: unit.connectionInterval))
        return Planned(updater: self, plan: plan, options: job.options)
    }

    func verify(_ unit: UnitLease, isDeep: Bool) async throws -> VerifyReport.Finding {
        VerifyReport.Finding(expected: version, actual: try await unit.version(of: component))
    }

    private struct Planned: PlannedUpdate {
        let updater: KeyboardFirmwareUpdater
        let plan: ComponentPlan
        let options: JobOptions
        /// The current firmware stays until the other one is complete; the unit has no battery.
        var erases: Bool { false }

        func foresee(_ unit: UnitLease, isAfterFirmware: Bool) async throws {
            guard plan.from != plan.to else { throw OTAError.sameVersion(plan.to) }
            guard !options.allowDowngrade else { return }
            guard let actual = plan.from.flatMap({ KeyboardVersion($0) }) else {
                throw ProvisioningError.ageUnknown(unit: plan.from, ours: plan.to)
            }
            if updater.firmware.number < actual { throw ProvisioningError.downgrade(from: actual.description, to: plan.to) }
        }

        func apply(_ unit: UnitLease, _ job: JobState) async throws {
            try await foresee(unit, isAfterFirmware: false)
            guard let console = try await unit.console() as? KeyboardConsole else { throw ProvisioningError.noConsole(unit.family) }
            try await options.beforeErase()
            job.start(plan.component, from: plan.from)
            job.notice(KeyboardFirmwareUpdater.plainNotice)
            job.begin(.download)
            try await console.update(
                to: updater.firmware.image.bytes,
                progress: { job.progress(updater.byteCount * $0 / 100, of: updater.byteCount) },
                refused: { job.notice("refused \($0) connections that were not the unit's") })
            job.begin(.slotRestart)
            try await restart(unit)
            try await conclude(unit, job)
        }

        private func restart(_ unit: UnitLease) async throws {
            do {
                try await unit.reboot(into: .application)
            } catch ProvisioningError.doesNotReturn {
                throw OTAError.notOnAir
            }
        }

        /// The version that the unit reports after its restart is the one that runs.
        private func conclude(_ unit: UnitLease, _ job: JobState) async throws {
            let actual = try await unit.version(of: plan.component)
            guard actual != plan.to else { return job.updated(plan.component, to: plan.to, byteCount: plan.byteCount) }
            if let actual, actual == plan.from { throw OTAError.rolledBack(to: actual, from: plan.to) }
            throw ProvisioningError.wrongVersion(plan.component, expected: plan.to, actual: actual)
        }
    }
}
