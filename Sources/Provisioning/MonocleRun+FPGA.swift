import FPGA

extension MonocleRun {
    func updateFPGA(_ visit: inout MonocleVisit, _ record: inout RunRecord) async throws {
        guard options.parts.contains(.fpga), let fpga = assets.fpga else { return try await restartStoppedFPGA(&visit, &record) }
        if let condition = record.rejection { throw try await withdraw(fpga, condition, &visit, &record) }
        let session = try await visit.session()
        let version = try await FPGAProbe(repl: session.repl).readVersion()
        let updater = FPGAUpdater(repl: session.repl, image: fpga.image)
        record.begin(.probe)
        let plan = try await updater.plan()
        let isForced = record.isForced(.fpga, options)
        if version == fpga.version, plan == .nothing, !isForced {
            return record.current(.fpga, version: fpga.version, bytes: fpga.image.bytes.count)
        }
        try preflight(try await session.identity(address: radio.address), &record)
        if options.dryRun { return record.planned(.fpga, from: version, to: fpga.version) }
        record.start(.fpga, from: version)
        visit.conduct.beginChanging(.fpga)
        try await write(fpga, with: updater, isForced: isForced, &record)
        record.begin(.commit)
        let condition = try await restart(&visit)
        guard condition == .running(version: fpga.version) else {
            record.rejection = condition
            throw try await withdraw(fpga, condition, &visit, &record)
        }
        visit.conduct.endChanging(.fpga)
        record.updated(.fpga, to: fpga.version, bytes: fpga.image.bytes.count)
    }

    /// Erases an image that does not run as it should, so that the unit starts its built-in one.
    /// - Returns: what to tell of it.
    private func withdraw(
        _ fpga: MonocleAssets.Bitstream, _ condition: FPGACondition, _ visit: inout MonocleVisit, _ record: inout RunRecord
    ) async throws -> ProvisioningError {
        record.notice("the FPGA does not run as \(fpga.version): taking the image out again")
        let updater = FPGAUpdater(repl: try await visit.session().repl, image: fpga.image)
        try await updater.withdraw { if case .notice(let text) = $0 { record.notice(text) } }
        let builtIn = try await restart(&visit)
        visit.conduct.endChanging(.fpga)
        return .bitstreamWithdrawn(expected: fpga.version, actual: condition.version, builtIn: builtIn.version)
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
