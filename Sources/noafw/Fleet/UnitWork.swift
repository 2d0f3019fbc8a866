import Bluetooth
import Provisioning
import Support

/// What a run does with each of its units.
protocol UnitWork: Sendable {
    associatedtype Report: RecordedReport
    /// - Returns: the report; a failed unit is a report, not an error.
    func perform(on unit: StationUnit, _ run: UnitRun) async throws -> Report
}

/// Brings a unit to what its files say.
struct FlashWork: UnitWork {
    let services: LiveServices
    let verb: String
    let options: JobOptions
    /// Whose last runs correct what is expected.
    let station: String
    /// `nil` where each unit's notices are its own.
    var notices: OnceNotices?
    /// The files for a unit's family.
    let assets: @Sendable (Family, LiveServices.Events) throws -> AssetSet

    func perform(on unit: StationUnit, _ run: UnitRun) async throws -> UnitReport {
        let assets = try assets(unit.family, notices?.tell ?? run.events)
        var options = options
        options.corrections = await services.corrections(for: unit, station: station, stateFolder: run.stateFolder)
        return try await services.provision(verb, unit, with: assets, options, run)
    }
}

/// Compares a unit with what it should hold.
struct VerifyWork: UnitWork {
    let services: LiveServices
    let request: VerifyRequest
    let choice: AssetChoice
    let notices: OnceNotices

    func perform(on unit: StationUnit, _ run: UnitRun) async throws -> ComparedReport {
        try request.comparison.checkBaseline(of: unit.address)
        let assets = try choice.assets(for: unit.family.id, events: notices.tell)
        let options = unit.options(adapters: request.fleet.adapters)
        var verified = try await services.verify(
            "verify", unit, against: assets, isDeep: request.isDeep, programWatch: request.programWatch, run
        ) { [comparison = request.comparison] in comparison.compare($0, unit: options) }
        verified.report.lastPass = verified.lastPass
        return verified.report
    }
}

/// One unit's part of a run, as a ``Fleet`` has it done.
struct UnitTask<Work: UnitWork>: Sendable {
    let station: Station
    let work: Work
    let recorder: RunRecorder?
    var rollout: RolloutPlan?
    /// Why the run was cancelled.
    let stop: StopReason
    /// Of the whole run.
    let events: LiveServices.Events

    @Sendable func perform(
        _ unit: FleetUnit, _ found: DiscoveredUnit, over central: any Central, serial: String?
    ) async throws -> Work.Report {
        try await work.perform(
            on: try station.unit(found, id: unit.id, over: central),
            UnitRun(
                stateFolder: station.stateFolder, recorder: recorder, serial: serial, rollout: rollout,
                events: { [events] event in events(RunEvent(unit: unit, time: event.time, content: event.content)) },
                recorded: { [events] record in events(RunEvent(unit: unit, content: .recorded(record.map { RunIdentity($0) }))) }))
    }

    @Sendable func perform(_ unit: FleetUnit, _ found: DiscoveredUnit, over central: any Central) async throws -> Work.Report {
        try await perform(unit, found, over: central, serial: nil)
    }

    @Sendable func judge(_ result: Result<Work.Report, any Error>) -> UnitResult {
        switch result {
        case .success(let report): report.result
        // With --all, a unit that the files are not for is left out.
        case .failure(let error): UnitResult(error, stop: stop, leavesOthers: station.selection.units == .inReach)
        }
    }
}
