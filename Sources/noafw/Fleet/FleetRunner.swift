import Bluetooth
import Provisioning
import ScriptBundle
import Support
import Synchronization

/// A unit of a fleet that is found, and the central to work on it with.
struct FoundUnit: Sendable {
    var unit: FleetUnit
    var found: DiscoveredUnit
    var central: any Central
    var events: @Sendable (FleetRunEvent) -> Void

    /// Where its job's events go.
    var jobEvents: LiveServices.Events {
        { [events, unit] event in events(FleetRunEvent(unit: unit, content: .job(event.content))) }
    }
}

/// Has each unit of a fleet worked on, and tells of it in the words of the command line.
struct FleetRunner<Report: Verdict>: Sendable {
    var policy: FleetPolicy
    var drain: Drain
    /// What a report comes to for the units behind it.
    var judge: @Sendable (Report) -> FleetJudgement
    var events: @Sendable (FleetRunEvent) -> Void
    /// Whether a unit that the files are not for is left out instead of being an error.
    var leavesOthers = false

    func run(
        _ targets: FleetTargets, on adapters: [FleetAdapter], _ work: @escaping @Sendable (FoundUnit) async throws -> Report
    ) async -> FleetReport<Report> {
        let others = Mutex<[Int: Diagnosis]>([:])
        let (drain, events, leavesOthers) = (drain, events, leavesOthers)
        let fleet = Fleet<Report>(
            adapters: adapters, families: .supported, policy: policy, isDraining: { drain.isAsked }, judge: { judgement(of: $0) }
        ) { found, central in
            do {
                return try await work(FoundUnit(unit: targets.unit(found), found: found, central: central, events: events))
            } catch let error as BundleError where leavesOthers && error.isOfAnotherFamily {
                if let index = targets.index(of: found) { others.withLock { $0[index] = error.diagnosis } }
                throw error
            }
        }
        let mapper = FleetEventMapper(targets, isLeft: { index in others.withLock { $0[index] != nil } }, tell: events)
        let result = await fleet.run(targets.targets) { mapper.handle($0) }
        let left = others.withLock { $0 }
        let entries = result.outcomes.enumerated().map { index, outcome in
            entry(outcome, asked: targets[index], isLeft: left[index])
        }
        return FleetReport(entries: entries, stop: result.stop?.diagnosis)
    }

    private func judgement(of result: Result<Report, any Error>) -> FleetJudgement {
        switch result {
        case .success(let report): judge(report)
        // Nothing was done to it, and nothing is wrong.
        case .failure(let error as BundleError) where leavesOthers && error.isOfAnotherFamily: .alreadyCurrent
        case .failure(let error): .failed(diagnose(error))
        }
    }

    private func entry(_ outcome: FleetOutcome<Report>, asked: FleetUnit?, isLeft: Diagnosis?) -> FleetEntry<Report> {
        let id = asked?.id ?? outcome.target.description
        let unit = FleetUnit(id: id, address: outcome.unit?.address ?? asked?.address, family: outcome.unit?.family ?? asked?.family)
        return FleetEntry(unit: unit, ending: ending(outcome, isLeft), seconds: outcome.elapsed.inSeconds, adapter: outcome.adapter)
    }

    private func ending(_ outcome: FleetOutcome<Report>, _ isLeft: Diagnosis?) -> FleetEntry<Report>.Ending {
        if let isLeft { return .notExpected(isLeft) }
        if let report = outcome.report { return .reported(report) }
        return switch outcome.ending {
        case .failed(let error): .failed(error)
        case .notReached(let error): .notReached(error)
        case .notStarted(let error): .notStarted(error)
        // Only a report comes to these.
        case .proved, .alreadyCurrent: .told(.pass, nil)
        }
    }
}

extension BundleError {
    fileprivate var isOfAnotherFamily: Bool { if case .wrongFamily = self { true } else { false } }
}
