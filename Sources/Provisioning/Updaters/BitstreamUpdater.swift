import FPGA
import REPL
import Support

extension Component {
    public static let fpga = Component(.init(
        "fpga", order: 1, stages: [.erase, .fpga, .commit], evidence: .digest, title: "FPGA image",
        slot: CatalogueSlot(folder: "FPGA", suffix: ".bin", limitBytes: 1 << 20, usualByteCount: 444_430) { content in
            let image = try FPGAImage(content.bytes, isChecked: !content.isUnchecked)
            return CheckedAsset(version: nil, isDevelopment: DevelopmentMark.isIn(image.bytes), digest: image.contentSHA256Text)
        }))
}

extension AssetCatalogue {
    public func fpgaVersions(for hardware: String) throws(CatalogueError) -> [String: String] { try versions(of: .fpga, for: hardware) }
}

extension Stage {
    public static let erase = Stage(
        "erase", remains: "the unit's FPGA flash may be partly erased; until it is written the unit starts its built-in FPGA image")
    public static let fpga = Stage(
        "fpga", sendsBytes: true,
        remains: "the unit's FPGA image is incomplete and not committed; the unit starts its built-in FPGA image")
    public static let commit = Stage(
        "commit", remains: "the unit's FPGA image is complete; its proof, commit or restart may be missing")
}

public struct BitstreamAsset: ComponentAsset {
    public static var component: Component { .fpga }

    public let image: FPGAImage
    /// What the FPGA reports once it runs this image.
    public let version: String

    public init(image: FPGAImage, version: String) { (self.image, self.version) = (image, version) }

    public static func open(_ content: AssetContent, version: String?) throws -> BitstreamAsset {
        guard let version else { throw ProvisioningError.bitstreamVersionUnknown(content.name) }
        return BitstreamAsset(image: try FPGAImage(content.bytes, isChecked: !content.isUnchecked), version: version)
    }

    public var sha256: [UInt8] { image.sha256 }
    public var updater: any ComponentUpdater { BitstreamUpdater(self) }
}

/// Writes an FPGA image to a unit's flash through its Python.
public struct BitstreamUpdater: ComponentUpdater {
    private let bitstream: BitstreamAsset

    public init(_ bitstream: BitstreamAsset) { self.bitstream = bitstream }

    public var component: Component { .fpga }
    public var version: String { bitstream.version }
    public var byteCount: Int { bitstream.image.bytes.count }
    public func wholeUpdate(interval: Double) -> [StageEstimate] { estimates(for: .erase, interval: interval) }

    private func estimates(for plan: FPGAPlan, interval: Double) -> [StageEstimate] {
        let offset = if case .resume(let from) = plan { from } else { 0 }
        let pace = FPGAPace(of: bitstream.image, from: offset, interval: interval)
        let commit = StageEstimate(.commit, seconds: pace.commit)
        return switch plan {
        case .commit: [commit]
        case .resume: [StageEstimate(.fpga, seconds: pace.write), commit]
        case .erase, .nothing: [StageEstimate(.erase, seconds: pace.erase), StageEstimate(.fpga, seconds: pace.write), commit]
        }
    }

    public func inspect(_ unit: UnitLease, _ job: JobState) async throws -> any PlannedUpdate {
        if let condition = job.memory(of: .fpga) as? FPGACondition { throw try await withdraw(condition, unit, job) }
        let actual = try await unit.version(of: .fpga)
        let updater = FPGAUpdater(repl: try await unit.python().repl, image: bitstream.image)
        let finding = try await confirmed({ $0.plan == .nothing || actual != version }) {
            try await updater.inspect(running: actual, wanted: version)
        }
        let isForced = job.isForced(.fpga)
        let isCurrent = actual == version && finding.plan == .nothing && !isForced
        let interval = unit.connectionInterval
        var plan = plan(isCurrent ? .current : .update, from: actual, interval: interval)
        if !isCurrent, !isForced { plan.estimates = estimates(for: finding.plan, interval: interval) }
        return Planned(updater: self, finding: finding, isForced: isForced, plan: plan)
    }

    public func verify(_ unit: UnitLease, isDeep: Bool) async throws -> VerifyReport.Finding {
        let probe = FPGAProbe(repl: try await unit.python().repl)
        let actual = try await unit.version(of: .fpga)
        let differences = isDeep ? try await probe.differences(from: bitstream.image) : []
        let silence = actual == nil ? try await probe.condition().fault : nil
        var finding = VerifyReport.Finding(expected: version, actual: actual, differences: differences + [silence].compactMap { $0 })
        finding.silence = silence
        return finding
    }

    private struct Planned: PlannedUpdate {
        let updater: BitstreamUpdater
        let finding: FPGAFinding
        let isForced: Bool
        let plan: ComponentPlan
        var erases: Bool { true }

        func apply(_ unit: UnitLease, _ job: JobState) async throws {
            job.start(.fpga, from: plan.from)
            unit.restoreGuard.beginChanging(.fpga)
            try await updater.write(after: finding, isForced: isForced, unit, job)
            job.begin(.commit)
            // Only a chip reset starts the FPGA and sets up display and camera.
            try await BitstreamUpdater.restart(unit)
            guard try await unit.version(of: .fpga) == plan.to else {
                let condition = try await FPGAProbe(repl: unit.python().repl).condition()
                job.remember(condition, of: .fpga)
                throw try await updater.withdraw(condition, unit, job)
            }
            unit.restoreGuard.endChanging(.fpga)
            job.updated(.fpga, to: plan.to, byteCount: plan.byteCount)
        }
    }

    private func write(after finding: FPGAFinding, isForced: Bool, _ unit: UnitLease, _ job: JobState) async throws {
        let updater = FPGAUpdater(repl: try await unit.python().repl, image: bitstream.image)
        _ = try await updater.update(after: finding, force: isForced) { event in
            switch event {
            case .erasing:
                job.startOver(.erase)
                job.forceIsUnderWay(.fpga)
            case .writing(let done, let total):
                job.begin(.fpga)
                job.progress(done, of: total)
            case .verifying(let done, let total):
                job.begin(.commit)
                job.progress(done, of: total)
            case .committing: job.begin(.commit)
            case .notice(let text): job.notice(text)
            }
        }
    }

    /// Erases an image that does not run as it should, so that the unit starts its built-in one.
    private func withdraw(_ condition: FPGACondition, _ unit: UnitLease, _ job: JobState) async throws -> ProvisioningError {
        job.notice("the FPGA does not run as \(version): taking the image out again")
        let updater = FPGAUpdater(repl: try await unit.python().repl, image: bitstream.image)
        try await updater.withdraw { if case .notice(let text) = $0 { job.notice(text) } }
        try await Self.restart(unit)
        let builtIn = try await unit.version(of: .fpga)
        unit.restoreGuard.endChanging(.fpga)
        return .bitstreamWithdrawn(expected: version, actual: condition.version, builtIn: builtIn)
    }

    /// A link that breaks at the request looks like a restart: an FPGA that is still stopped shows that there was none.
    private static func restart(_ unit: UnitLease) async throws {
        try await unit.reboot(into: .application)
        guard try await unit.version(of: .fpga) == nil, try await FPGAProbe(repl: unit.python().repl).condition() == .stopped
        else { return }
        try await unit.reboot(into: .application)
    }

    /// An unfinished update leaves the FPGA stopped, even across restarts of Python.
    public static func restartStoppedFPGA(_ unit: UnitLease, _ job: JobState) async throws {
        guard try await unit.version(of: .fpga) == nil, try await FPGAProbe(repl: unit.python().repl).condition() == .stopped
        else { return }
        job.notice("the FPGA was stopped by an update that did not end: restarting the unit")
        try await unit.reboot(into: .application)
    }
}

extension FPGACondition {
    /// `nil` while none answers.
    fileprivate var version: String? { if case .running(let version) = self { version } else { nil } }

    fileprivate var fault: String? {
        switch self {
        case .running: nil
        case .stopped: "the FPGA is stopped, as an update that did not end leaves it: run noafw flash with the same files"
        case .silent: "the FPGA does not answer"
        }
    }
}
