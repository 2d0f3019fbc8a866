import Bluetooth
import Ledger
import Provisioning
import ScriptBundle
import Support
import Synchronization

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
    var judge: @Sendable (Report) -> FleetJudgement
    var events: @Sendable (RunEvent) -> Void
    /// Why its work was cancelled.
    var stop: StopReason
    /// Whether a unit that the files are not for is left out instead of being an error.
    var leavesOthers = false

    func run(
        _ targets: FleetTargets, on adapters: [FleetAdapter], _ work: @escaping @Sendable (FoundUnit) async throws -> Report
    ) async -> FleetReport<Report> {
        let alone = Mutex<[Int: FleetEntry<Report>.Ending]>([:])
        let (drain, events) = (drain, events)
        let fleet = Fleet<Report>(
            adapters: adapters, families: .supported, policy: policy, isDraining: { drain.isAsked }, judge: { judgement(of: $0) }
        ) { found, central in
            do {
                return try await work(FoundUnit(unit: targets.unit(found), found: found, central: central, events: events))
            } catch {
                if let ending = leftAlone(error), let index = targets.index(of: found) { alone.withLock { $0[index] = ending } }
                throw error
            }
        }
        let mapper = FleetEventMapper(targets, left: { index in alone.withLock { $0[index]?.told } }, tell: events)
        let result = await fleet.run(targets.targets) { mapper.handle($0) }
        let endings = alone.withLock { $0 }
        let entries = result.outcomes.enumerated().map { index, outcome in
            entry(outcome, asked: targets[index], endings[index] ?? ending(outcome))
        }
        return FleetReport(entries: entries, stop: result.stop?.diagnosis)
    }

    private func judgement(of result: Result<Report, any Error>) -> FleetJudgement {
        switch result {
        case .success(let report): judge(report)
        // Nothing was done to it, and nothing is wrong.
        case .failure(let error) where leftAlone(error) != nil: .alreadyCurrent
        case .failure(let error): .failed(stop.diagnosis(of: error))
        }
    }

    private func leftAlone(_ error: any Error) -> FleetEntry<Report>.Ending? { .init(leavingAlone: error, leavesOthers: leavesOthers) }

    private func entry(_ outcome: FleetOutcome<Report>, asked: FleetUnit?, _ ending: FleetEntry<Report>.Ending) -> FleetEntry<Report> {
        let id = asked?.id ?? outcome.target.description
        let unit = FleetUnit(id: id, address: outcome.unit?.address ?? asked?.address, family: outcome.unit?.family ?? asked?.family)
        return FleetEntry(unit: unit, ending: ending, seconds: outcome.elapsed.inSeconds, adapter: outcome.adapter)
    }

    private func ending(_ outcome: FleetOutcome<Report>) -> FleetEntry<Report>.Ending {
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

extension FleetVerdict {
    /// Where the unit was not touched, for a reason that says nothing of it, the radio or the station.
    /// - Parameter leavesOthers: whether a bundle of another family is no error.
    init?(leavingAlone error: any Error, leavesOthers: Bool) {
        switch error {
        case UnitSelectionError.otherFamily(let unit) where !unit.isSupported: self = .notExpected
        case CommandError.noSuchPart: self = .notExpected
        case BundleError.wrongFamily where leavesOthers, ComparisonError.notInBaseline where leavesOthers: self = .notExpected
        case ClaimError.taken, LinkError.busy: self = .inUse
        default: return nil
        }
    }
}

extension FleetEntry.Ending {
    init?(leavingAlone error: any Error, leavesOthers: Bool) {
        guard let verdict = FleetVerdict(leavingAlone: error, leavesOthers: leavesOthers) else { return nil }
        self = verdict == .inUse ? .inUse(diagnose(error)) : .notExpected(diagnose(error))
    }

    /// In the events, of a unit that was left alone.
    fileprivate var told: (FleetVerdict, Diagnosis?)? {
        switch self {
        case .notExpected: (.notExpected, nil)
        case .inUse(let error): (.inUse, error)
        case .reported, .failed, .notReached, .notStarted, .told: nil
        }
    }
}
