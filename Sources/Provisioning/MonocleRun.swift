import Bluetooth
import DFU
import FPGA
import REPL
import ScriptBundle

/// The run of one Monocle from whatever it is to a proved unit.
///
/// A run is a series of passes, each of which asks the unit what it holds and does what is left: a lost link, a reset
/// or a power cut only begins the next pass (``Escalation`` says how). Nothing is remembered but the unit itself.
public struct MonocleRun: Sendable {
    let radio: MonocleRadio
    let assets: MonocleAssets
    let options: FlashOptions

    public init(central: any Central, address: DeviceAddress, assets: MonocleAssets, options: FlashOptions) {
        radio = MonocleRadio(central: central, address: address)
        self.assets = assets
        self.options = options
    }

    /// Brings the unit to what the assets say, and proves it.
    /// - Returns: the verdict; a failed unit is a report, not an error.
    /// - Throws: `CancellationError` alone.
    public func flash(report: @escaping @Sendable (RunEvent) -> Void) async throws -> UnitReport {
        var record = RunRecord(address: radio.address, parts: wantedParts, clock: radio.clock, report: report)
        let failure = try await radio.visit(
            Escalation(mayRestartUnit: true), progress: { record.advances }, recovering: { record.recovers(by: $0, from: $1) }
        ) { visit in try await takeSteps(&visit, &record) }
        return record.finished(failure.map(diagnose))
    }

    private var wantedParts: Set<Part> {
        var parts = options.parts
        if assets.firmware == nil { parts.remove(.firmware) }
        if assets.fpga == nil { parts.remove(.fpga) }
        if assets.scripts == nil { parts.remove(.scripts) }
        return parts
    }

    private func takeSteps(_ visit: inout MonocleVisit, _ record: inout RunRecord) async throws {
        record.begin(.connect)
        guard let mode = try await visit.hasLink ? .application : radio.find() else {
            throw ProvisioningError.unitNotFound(radio.address)
        }
        if mode == .bootloader {
            guard let firmware = assets.firmware, options.parts.contains(.firmware) else {
                throw ProvisioningError.inBootloader
            }
            if options.dryRun {
                record.planned(.firmware, from: nil, to: firmware.version)
                for (part, version) in [(Part.fpga, assets.fpga?.version), (.scripts, assets.scripts?.version)] {
                    if let version, options.parts.contains(part) { record.planned(part, from: nil, to: version) }
                }
                return
            }
            record.notice("the unit is in its bootloader: finishing its firmware first")
            record.start(.firmware, from: nil)
            try await transfer(firmware, &record)
        }
        try await updateFirmware(&visit, &record)
        try await updateFPGA(&visit, &record)
        try await updateScripts(&visit, &record)
        try await prove(&visit, &record)
    }
}

// MARK: - Firmware

extension MonocleRun {
    private func updateFirmware(_ visit: inout MonocleVisit, _ record: inout RunRecord) async throws {
        let session = try await visit.session()
        let identity = try await probe(session, &record)
        guard options.parts.contains(.firmware), let firmware = assets.firmware else { return }
        if identity.firmware == firmware.version && !record.isForced(.firmware, options) {
            return record.current(.firmware, version: firmware.version)
        }
        try preflight(identity, &record)
        if options.dryRun { return record.planned(.firmware, from: identity.firmware, to: firmware.version) }
        record.start(.firmware, from: identity.firmware)
        record.begin(.bootloader)
        try await session.jumpToBootloader()
        await visit.end()
        guard try await radio.find([.bootloader]) != nil else { throw ProvisioningError.staysInApplication }
        try await transfer(firmware, &record)
        let version = try await visit.session().firmwareVersion()
        guard version == firmware.version else {
            throw ProvisioningError.wrongVersion(.firmware, expected: firmware.version, actual: version)
        }
    }

    private func transfer(_ firmware: MonocleAssets.Firmware, _ record: inout RunRecord) async throws {
        record.begin(.firmware)
        let relay = record.relay(.firmware)
        let lostLinks = record.lostTransfers
        record.lostTransfers += 1
        try await radio.withConnection(.bootloader) { connection in
            let session = DFUSession(connection: connection, clock: radio.clock, lostLinks: lostLinks)
            try await session.transfer(firmware.image) { event in
                switch event {
                case .progress(let done, let total): relay.progress(done, of: total)
                case .notice(let notice): relay.notice("\(notice)")
                }
            }
            try? await connection.waitUntilGone(deadline: radio.clock.deadline(in: .seconds(10)))
        }
        record.lostTransfers = 0
        record.begin(.restart)
        guard try await radio.find([.application]) != nil else { throw ProvisioningError.doesNotReturn }
        record.updated(.firmware, to: firmware.version, bytes: firmware.image.bytes.count)
    }

    /// The downgrade and battery checks, before anything is erased. A unit that fails them goes on with its program.
    private func preflight(_ identity: UnitIdentity, _ record: inout RunRecord) throws {
        record.begin(.preflight)
        try checkBattery(identity)
        try checkDowngrade(identity)
    }

    private func checkBattery(_ identity: UnitIdentity) throws {
        guard options.minimumBattery > 0 else { return }
        guard let battery = identity.batteryPercent else { throw ProvisioningError.batteryUnknown }
        if battery < options.minimumBattery {
            throw ProvisioningError.batteryLow(percent: battery, minimum: options.minimumBattery)
        }
    }

    private func checkDowngrade(_ identity: UnitIdentity) throws {
        guard !options.allowDowngrade, options.parts.contains(.firmware), let firmware = assets.firmware,
            let unit = identity.firmware.flatMap(FirmwareVersion.init), let ours = FirmwareVersion(firmware.version)
        else { return }
        if ours < unit { throw ProvisioningError.downgrade(from: unit.description, to: ours.description) }
    }

    private func probe(_ session: UnitSession, _ record: inout RunRecord) async throws -> UnitIdentity {
        record.begin(.probe)
        let identity = try await session.identity(address: radio.address)
        record.probed(identity)
        return identity
    }
}

// MARK: - FPGA

extension MonocleRun {
    private func updateFPGA(_ visit: inout MonocleVisit, _ record: inout RunRecord) async throws {
        guard options.parts.contains(.fpga), let fpga = assets.fpga else { return try await restartStoppedFPGA(&visit, &record) }
        let session = try await visit.session()
        let version = try await FPGAProbe(repl: session.repl).readVersion()
        let updater = FPGAUpdater(repl: session.repl, image: fpga.image)
        record.begin(.probe)
        let plan = try await updater.plan()
        let isForced = record.isForced(.fpga, options)
        if version == fpga.version, plan == .nothing, !isForced { return record.current(.fpga, version: fpga.version) }
        try preflight(try await session.identity(address: radio.address), &record)
        if options.dryRun { return record.planned(.fpga, from: version, to: fpga.version) }
        record.start(.fpga, from: version)
        visit.conduct.beginChanging(.fpga)
        try await write(fpga, with: updater, isForced: isForced, &record)
        record.begin(.commit)
        let condition = try await restart(&visit)
        guard condition != .silent else { throw FPGAError.silent }
        guard condition == .running(version: fpga.version) else {
            throw ProvisioningError.wrongVersion(.fpga, expected: fpga.version, actual: condition.version)
        }
        visit.conduct.endChanging(.fpga)
        record.updated(.fpga, to: fpga.version, bytes: fpga.image.bytes.count)
    }

    /// An update that did not come to its end leaves the FPGA stopped, over restarts of Python too: only a chip reset starts it
    /// and makes the settings of display and camera.
    private func restartStoppedFPGA(_ visit: inout MonocleVisit, _ record: inout RunRecord) async throws {
        guard !options.dryRun, try await FPGAProbe(repl: visit.session().repl).condition() == .stopped else { return }
        record.notice("the FPGA was stopped by an update that did not end: restarting the unit")
        _ = try await restart(&visit)
    }

    /// Resets the chip and comes back to it.
    private func restart(_ visit: inout MonocleVisit) async throws -> FPGACondition {
        try await visit.session().reset()
        await visit.end()
        guard try await radio.find([.application]) != nil else { throw ProvisioningError.doesNotReturn }
        return try await FPGAProbe(repl: visit.session().repl).condition()
    }

    private func write(
        _ fpga: MonocleAssets.Bitstream, with updater: FPGAUpdater, isForced: Bool, _ record: inout RunRecord
    ) async throws {
        _ = try await updater.update(force: isForced) { event in
            switch event {
            case .erasing:
                record.startOver(.erase)
                record.forceIsUnderWay(.fpga)
            case .writing(let done, let total):
                record.begin(.fpga)
                record.progress(done, of: total)
            case .proving(let done, let total):
                record.begin(.commit)
                record.progress(done, of: total)
            case .committing:
                record.begin(.commit)
            case .notice(let text):
                record.notice(text)
            }
        }
    }
}

// MARK: - Scripts and proof

extension MonocleRun {
    private func updateScripts(_ visit: inout MonocleVisit, _ record: inout RunRecord) async throws {
        guard options.parts.contains(.scripts), let scripts = assets.scripts else { return }
        let session = try await visit.session()
        record.begin(.scripts)
        let installer = ScriptInstaller(repl: session.repl, scripts: scripts)
        let version = try await ScriptInstaller.installedVersion(session.repl)
        let differences = try await installer.deepCheck()
        let isForced = record.isForced(.scripts, options)
        if version == scripts.version, differences.allSatisfy(\.isHarmless), !isForced {
            return record.current(.scripts, version: scripts.version)
        }
        if options.dryRun { return record.planned(.scripts, from: version, to: scripts.version) }
        record.start(.scripts, from: version)
        visit.conduct.beginChanging(.scripts)
        let outcome = try await installer.install(force: isForced) { event in
            switch event {
            case .uploading(let done, let total): record.progress(done, of: total)
            case .notice(let text): record.notice(text)
            }
        }
        visit.conduct.endChanging(.scripts)
        record.updated(.scripts, to: scripts.version, bytes: outcome.bytesSent)
    }

    /// Asks the unit for everything once more, starts its program and waits for a sign of it.
    private func prove(_ visit: inout MonocleVisit, _ record: inout RunRecord) async throws {
        record.begin(.proof)
        let session = try await visit.session()
        if record.hasChanged {
            let identity = try await session.identity(address: radio.address)
            record.proved(identity)
            try check(identity)
        }
        if options.parts.contains(.scripts), !options.dryRun, let scripts = assets.scripts {
            record.lives(try await session.proveProgram(of: scripts))
        } else {
            try await session.startProgram()
        }
        record.complete()
    }

    private func check(_ identity: UnitIdentity) throws {
        let wanted: [(Part, String?, String?)] = [
            (.firmware, assets.firmware?.version, identity.firmware), (.fpga, assets.fpga?.version, identity.fpga),
            (.scripts, assets.scripts?.version, identity.scripts),
        ]
        for (part, expected, actual) in wanted where options.parts.contains(part) {
            if let expected, expected != actual {
                throw ProvisioningError.wrongVersion(part, expected: expected, actual: actual)
            }
        }
    }
}

extension ScriptDifference {
    /// Files beside ours do no harm: people keep their own on a unit.
    var isHarmless: Bool { if case .extra = self { true } else { false } }
}
