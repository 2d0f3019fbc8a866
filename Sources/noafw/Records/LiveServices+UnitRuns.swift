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
    /// The caller has taken the unit for this process.
    var isTaken = false
}

extension LiveServices {
    func bench<Report: RecordedReport>(
        _ request: BenchRequest, recorded: @escaping @Sendable (RunIdentity?) -> Void, events: @escaping Events,
        _ body: @escaping @Sendable (StationUnit) async throws -> Report
    ) async throws -> Report {
        @Sendable func onUnit(_ recorder: RunRecorder?) async throws -> Report {
            try await withUnit(request.unit, search: request.search, stateFolder: request.stateFolder, events: events) { unit in
                guard let recorder else { return try await body(unit) }
                let run = UnitRun(
                    stateFolder: request.stateFolder, recorder: recorder, events: events,
                    recorded: { recorded($0.map { RunIdentity($0) }) }, isTaken: true)
                return try await work(request.verb, on: unit, AssetSet(), run) { events, _ in
                    let report = try await body(unit)
                    events(RunEvent(unit: nil, time: unit.central.clock.now, content: .probed(report.identity)))
                    return report
                }
            }
        }
        // The unit is free before its record is sent.
        guard let records = request.records else { return try await onUnit(nil) }
        return try await recording(records, stateFolder: request.stateFolder, events: events, onUnit)
    }

    /// The road of every run: the unit is taken for this process, its run is recorded, and `job` works on it.
    /// - Returns: the report; a failed unit is a report, not an error.
    /// - Throws: before the unit is touched, where it is taken or its run cannot be recorded; `CancellationError`.
    func work<Report: RecordedReport>(
        _ verb: String, on unit: StationUnit, _ assets: AssetSet, _ run: UnitRun,
        _ job: @escaping @Sendable (@escaping Events, Recording?) async throws -> Report
    ) async throws -> Report {
        guard run.isTaken else {
            var taken = run
            taken.isTaken = true
            return try await own(unit, stateFolder: run.stateFolder) { [taken] in try await work(verb, on: unit, assets, taken, job) }
        }
        guard let recorder = run.recorder else { return try await unit.presence.during { try await job(run.events, nil) } }
        let start = RunRecorder.Start(verb: verb, unit: unit, assets: assets, serial: run.serial, rollout: run.rollout)
        return try await recorder.record(start, events: run.events, recorded: run.recorded) { events, recording in
            try await unit.presence.during { try await job(events, recording) }
        }
    }

    /// Runs `body` with a recorder, and sends its records however it ends.
    /// - Parameter isRecorded: without it, `body` gets none.
    func recording<Value>(
        _ inputs: RecordInputs, stateFolder: String, isRecorded: Bool = true, events: @escaping Events,
        _ body: (RunRecorder?) async throws -> Value
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

    /// Brings a unit to what its assets say. What is known is on the disk before the unit is changed.
    func provision(
        _ verb: String, _ unit: StationUnit, with assets: AssetSet, _ options: JobOptions, _ run: UnitRun
    ) async throws -> UnitReport {
        try await work(verb, on: unit, assets, run) { events, recording in
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
            return try await ProvisioningJob(
                family: unit.family, central: unit.central, address: unit.address, assets: assets, options: options
            )
                .run(report: events)
        }
    }

    /// Compares a unit with its assets, and does not change it.
    /// - Parameters:
    ///   - recorded: the versions that are expected of components for which `assets` has nothing.
    ///   - keep: gets the link with the unit's program stopped; without it, the program is started and the link ends.
    ///   - judge: makes the verdict that is recorded.
    /// - Returns: what was judged, and the pass before it; `nil` where none is known.
    func verify<Report: RecordedReport>(
        _ verb: String, _ unit: StationUnit, against assets: AssetSet, recorded: [Component: String] = [:], isDeep: Bool = false,
        programWatch: Duration = JobOptions.defaultProgramWatch, _ run: UnitRun,
        keeping keep: (@Sendable (UnitLease) -> Void)? = nil, judging judge: @escaping @Sendable (VerifyReport) -> Report
    ) async throws -> (report: Report, lastPass: PassedRun?) {
        let lastPass = Mutex<PassedRun?>(nil)
        let report = try await work(verb, on: unit, assets, run) { events, recording in
            if let recording {
                let passed = await run.recorder?.lastPass(before: recording, unit.central.clock, events)
                lastPass.withLock { $0 = passed }
            }
            let job = try VerifyJob(
                family: unit.family, central: unit.central, address: unit.address, assets: assets, recorded: recorded, isDeep: isDeep,
                programWatch: programWatch)
            guard let keep else { return try await judge(job.run(report: events)) }
            let (report, lease) = try await job.hold(report: events)
            keep(lease)
            return judge(report)
        }
        return (report, lastPass.withLock(\.self))
    }
}
