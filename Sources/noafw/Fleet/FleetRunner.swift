import Bluetooth
import Ledger
import Provisioning
import Support

/// A unit of a fleet that is found, and the central to work on it with.
struct FoundUnit: Sendable {
    var unit: FleetUnit
    var found: DiscoveredUnit
    var central: any Central
    var events: @Sendable (RunEvent) -> Void

    /// Where its job's events go.
    var jobEvents: LiveServices.Events {
        { [events, unit] event in events(RunEvent(unit: unit, content: .job(event.content))) }
    }

    /// Where its record goes.
    var recorded: @Sendable (RunRecord?) -> Void {
        { [events, unit] record in events(RunEvent(unit: unit, content: .recorded(record))) }
    }
}

/// Has each unit of a fleet worked on, and tells of it in the words of the command line.
struct FleetRunner<Report: Verdict>: Sendable {
    var policy: FleetPolicy
    var drain: Drain
    /// What a report comes to for the units behind it.
    var judge: @Sendable (Report) -> FleetEnding
    var events: @Sendable (RunEvent) -> Void
    /// Why its work was cancelled.
    var stop: StopReason
    /// Whether a unit that the files are not for is left out instead of being an error.
    var leavesOthers = false

    func run(
        _ targets: FleetTargets, on adapters: [FleetAdapter], _ work: @escaping @Sendable (FoundUnit) async throws -> Report
    ) async -> FleetReport<Report> {
        let (drain, events) = (drain, events)
        let fleet = Fleet<Report>(
            adapters: adapters, families: .supported, policy: policy, isDraining: { drain.isAsked }, judge: { ending(of: $0) }
        ) { found, central in
            try await work(FoundUnit(unit: targets.unit(found), found: found, central: central, events: events))
        }
        let mapper = FleetEventMapper(targets, tell: events)
        let result = await fleet.run(targets.targets) { mapper.handle($0) }
        let entries = result.outcomes.enumerated().map { index, outcome in entry(outcome, asked: targets[index]) }
        return FleetReport(entries: entries, stop: result.stop?.diagnosis)
    }

    private func ending(of result: Result<Report, any Error>) -> FleetEnding {
        switch result {
        case .success(let report): judge(report)
        case .failure(let error): FleetEnding(error, stop: stop, leavesOthers: leavesOthers)
        }
    }

    private func entry(_ outcome: FleetOutcome<Report>, asked: FleetUnit?) -> FleetEntry<Report> {
        let id = asked?.id ?? outcome.target.description
        let unit = FleetUnit(id: id, address: outcome.unit?.address ?? asked?.address, family: outcome.unit?.family ?? asked?.family)
        return FleetEntry(
            unit: unit, result: outcome.report.map { UnitResult($0) } ?? UnitResult(outcome.ending), report: outcome.report,
            seconds: outcome.elapsed.inSeconds, adapter: outcome.adapter)
    }
}
