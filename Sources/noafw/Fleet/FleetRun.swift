import Bluetooth
import Provisioning
import Support
import Synchronization

/// The work of one command on its units.
struct FleetRun<Report: RecordedReport>: Sendable {
    let selection: FleetSelection
    let events: LiveServices.Events
    private let policy: FleetPolicy
    private let drain: Drain
    private let stop: StopReason
    /// Whether a unit that the files are not for is left out instead of being an error.
    private let leavesOthers: Bool

    /// - Parameters:
    ///   - rollout: `nil` for what only reads: there is nothing to protect units from.
    ///   - stop: why its work was cancelled.
    init(
        _ selection: FleetSelection, _ rollout: RolloutLimits?, _ drain: Drain, _ stop: StopReason, _ events: @escaping LiveServices.Events
    ) {
        (self.selection, self.drain, self.stop, self.events) = (selection, drain, stop, events)
        var policy = FleetPolicy()
        policy.jobsPerAdapter = selection.jobsPerAdapter
        if let time = selection.wait { policy.wait = time }
        policy.canary = rollout.map(\.canary) ?? 0
        policy.limits = rollout?.guarded ?? RolloutLimits.none
        policy.seed = rollout?.seed ?? 0
        self.policy = policy
        leavesOthers = selection.units == .inReach
    }

    func perform(
        _ targets: [FleetTarget], on adapters: [FleetAdapter], _ work: @escaping @Sendable (FoundUnit) async throws -> Report
    ) async -> FleetReport<Report> {
        let (drain, stop, events, leavesOthers) = (drain, stop, events, leavesOthers)
        return await Fleet<Report>(
            adapters: adapters, families: .supported, policy: policy, isDraining: { drain.isAsked },
            judge: { result in
                switch result {
                case .success(let report): report.result
                case .failure(let error): UnitResult(error, stop: stop, leavesOthers: leavesOthers)
                }
            }
        ) { unit, found, central in
            try await work(FoundUnit(unit: unit, found: found, central: central, events: events))
        }.run(targets, report: events)
    }
}

/// A unit that is found, and the central to work on it with.
struct FoundUnit: Sendable {
    var unit: FleetUnit
    var found: DiscoveredUnit
    var central: any Central
    /// Of the whole run.
    var events: LiveServices.Events

    func run(_ stateFolder: String, _ recorder: RunRecorder?, serial: String? = nil, rollout: RolloutPlan? = nil) -> UnitRun {
        UnitRun(
            stateFolder: stateFolder, recorder: recorder, serial: serial, rollout: rollout,
            events: { [events, unit] event in events(RunEvent(unit: unit, time: event.time, content: event.content)) },
            recorded: { [events, unit] record in events(RunEvent(unit: unit, content: .recorded(record.map { RunIdentity($0) }))) })
    }

    /// - Throws: ``UnitSelectionError/otherFamily(_:)``.
    func onStation(isVirtual: Bool = false, adapter: String? = nil) throws -> StationUnit {
        StationUnit(
            support: try .provisioned(found), central: central, address: found.address, isVirtual: isVirtual,
            rssi: isVirtual ? nil : found.rssi, adapter: adapter)
    }
}

/// Passes each notice on once, however many units it is for.
final class OnceNotices: Sendable {
    private let told = Mutex<Set<String>>([])
    private let events: LiveServices.Events

    init(_ events: @escaping LiveServices.Events) { self.events = events }

    func tell(_ event: RunEvent) {
        if let text = event.notice { tell(text, to: events) }
    }

    /// - Parameter events: of the unit that it came up with.
    func tell(_ diagnosis: Diagnosis, to events: LiveServices.Events) { tell(diagnosis.notice, to: events) }

    private func tell(_ text: String, to events: LiveServices.Events) {
        if told.withLock({ $0.insert(text).inserted }) { events(.notice(text)) }
    }
}
