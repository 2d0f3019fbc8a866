import Bluetooth
import Ledger
import Provisioning
import Support
import Synchronization

/// What a run on one unit needs beside the unit.
struct UnitRun: Sendable {
    var stateFolder: String
    /// `nil` for a run that is not recorded: a dry run decides nothing about its unit, and must not count as its first run.
    var recorder: RunRecorder?
    /// `nil` takes the command's.
    var serial: String?
    /// `nil` for a unit that is run by itself.
    var rollout: RolloutPlan?
    var events: LiveServices.Events
    /// Gets the record when it is opened and when it is closed; `nil` where it was taken back.
    var recorded: @Sendable (RunRecord?) -> Void = { _ in }
}

// One unit that is found already: it is noted, locked and recorded, then worked on. For a single unit and for each one of a fleet.
extension LiveServices {
    /// Runs `body` with a recorder, and sends its records however it ends.
    /// - Parameter isRecorded: `body` is handed none where it is `false`.
    func recording<Value>(
        _ inputs: RecordInputs, stateFolder: String, isRecorded: Bool = true, events: @escaping Events, _ body: (RunRecorder?) async throws -> Value
    ) async throws -> Value {
        guard isRecorded else { return try await body(nil) }
        let recorder = RunRecorder(inputs, ledger: ledger("\(stateFolder)/ledger"), events: events)
        do {
            let value = try await body(recorder)
            await recorder.finish()
            return value
        } catch {
            await recorder.finish()
            throw error
        }
    }

    /// - Returns: the verdict; a failed unit is a report, not an error.
    /// - Throws: before the unit is touched, where it is taken or its run cannot be recorded; `CancellationError`.
    func flash(_ unit: StationUnit, with assets: AssetSet, _ options: JobOptions, _ run: UnitRun) async throws -> UnitReport {
        try await own(unit, stateFolder: run.stateFolder) { try await provision("flash", unit, assets, options, run) }
    }

    /// As ``flash(_:with:_:_:)``, for a chat's unit, which is taken already.
    func update(owned unit: StationUnit, with assets: AssetSet, _ options: JobOptions, _ run: UnitRun) async throws -> UnitReport {
        try await provision(Self.chat, unit, assets, options, run)
    }

    /// Records what a chat finds before it begins, on a unit that is taken already.
    func look(
        owned unit: StationUnit, against assets: AssetSet, _ run: UnitRun, _ body: @escaping @Sendable (@escaping Events) async throws -> VerifyReport
    ) async throws -> VerifyReport {
        try await perform(Self.chat, unit, assets, run) { events, _ in try await body(events) }
    }

    private static let chat = "chat"

    /// As ``flash(_:with:_:_:)``, for a unit in its bootloader.
    func rescue(_ unit: StationUnit, with assets: AssetSet, _ options: JobOptions, _ run: UnitRun) async throws -> UnitReport {
        try await own(unit, stateFolder: run.stateFolder) { try await provision("rescue", unit, assets, options, run) }
    }

    /// As ``flash(_:with:_:_:)``; the unit is not changed.
    /// - Parameter judge: makes the verdict that is recorded.
    /// - Returns: what was judged, and the pass before it; `nil` where none is known.
    func verify<Report: RecordedReport>(
        _ unit: StationUnit, against assets: AssetSet, isDeep: Bool, programWatch: Duration, _ run: UnitRun,
        judging judge: @escaping @Sendable (VerifyReport) -> Report
    ) async throws -> (report: Report, lastPass: PassedRun?) {
        let lastPass = Mutex<PassedRun?>(nil)
        let report = try await own(unit, stateFolder: run.stateFolder) {
            try await perform("verify", unit, assets, run) { events, recording in
                if let recording {
                    let passed = await run.recorder?.lastPass(before: recording, unit.central.clock, events)
                    lastPass.withLock { $0 = passed }
                }
                let job = try VerifyJob(
                    family: unit.family, central: unit.central, address: unit.address, assets: assets, isDeep: isDeep, programWatch: programWatch)
                return try await judge(job.run(report: events))
            }
        }
        return (report, lastPass.withLock(\.self))
    }

    private func provision(
        _ verb: String, _ unit: StationUnit, _ assets: AssetSet, _ options: JobOptions, _ run: UnitRun
    ) async throws -> UnitReport {
        try await perform(verb, unit, assets, run) { events, recording in
            var options = options
            if let recording {
                let clock = unit.central.clock
                let ask = options.beforeChange
                options.beforeChange = { plan in
                    try await clock.paused {
                        try await ask(plan)
                        try await recording.save()
                    }
                }
                options.beforeErase = { try await recording.run.claim.beginErase() }
            }
            return try await provision(unit, with: assets, options, events: events)
        }
    }

    private func perform<Report: RecordedReport>(
        _ verb: String, _ unit: StationUnit, _ assets: AssetSet, _ run: UnitRun,
        _ body: @escaping @Sendable (@escaping Events, Recording?) async throws -> Report
    ) async throws -> Report {
        guard let recorder = run.recorder else { return try await unit.presence.during { try await body(run.events, nil) } }
        let start = RunRecorder.Start(verb: verb, unit: unit, assets: assets, serial: run.serial, rollout: run.rollout)
        return try await recorder.record(start, events: run.events, recorded: run.recorded) { events, recording in
            try await unit.presence.during { try await body(events, recording) }
        }
    }
}
