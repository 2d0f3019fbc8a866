import Bluetooth
import Support
import Synchronization

/// What one job has found and done so far, over all its attempts, and the events that tell of it.
public final class JobState: Sendable {
    private struct State {
        var identity: UnitIdentity
        var isProbed = false
        var plan: Plan?
        var steps: [Component: StepReport] = [:]
        var started: [Component: SessionClock.Instant] = [:]
        var origins: [Component: String] = [:]
        /// Written although they were current; once a job.
        var forced: Set<Component> = []
        var progress: JobProgress
        var reach: Reach
        var stage: Stage?
        var program: ProgramVerification?
        var recoveries: [Recovery] = []
        var transfers = TransferCounts()
        var memories: [Component: any Sendable] = [:]
        var keptNames: Set<String> = []
        var keptFiles: [KeptFile] = []
    }

    private let family: FamilyID
    private let components: [Component]
    public let options: JobOptions
    private let clock: SessionClock
    private let report: @Sendable (RunEvent) -> Void
    private let state: Mutex<State>

    /// - Parameter components: of the unit's family.
    init(
        unit: UnitIdentity, family: FamilyID, components: [Component], options: JobOptions, expecting estimates: [StageEstimate],
        clock: SessionClock,
        report: @escaping @Sendable (RunEvent) -> Void
    ) {
        (self.family, self.components) = (family, components)
        self.options = options
        self.clock = clock
        self.report = report
        state = Mutex(State(identity: unit, progress: JobProgress(expecting: estimates), reach: Reach(components)))
    }

    private func tell(_ content: RunEvent.Content, _ state: State) {
        let address = state.identity.address
        report(RunEvent(unit: FleetUnit(id: "\(address)", address: address, family: family), time: clock.now, content: content))
    }

    /// Changes the state and tells of it in the same breath, so that events never overtake each other.
    private func update(_ change: (inout State) -> RunEvent.Content?) {
        state.withLock { state in
            if let content = change(&state) { tell(content, state) }
        }
    }
}

// MARK: - Progress

extension JobState {
    public func begin(_ next: Stage) {
        update { state in
            guard next != state.stage else { return nil }
            state.stage = next
            state.reach.note(next, fraction: 0)
            state.progress.begin(next)
            return .stage(next)
        }
    }

    /// As ``begin(_:)``, for a stage that undoes later ones: what comes after it counts as new.
    public func startOver(_ next: Stage) {
        state.withLock { $0.reach.fallBack(to: next) }
        begin(next)
    }

    /// Of the current stage.
    public func progress(_ done: Int, of total: Int) {
        update { state in
            guard let stage = state.stage else { return nil }
            let fraction = total > 0 ? Double(done) / Double(total) : 0
            state.reach.note(stage, fraction: fraction)
            let overall = state.progress.overall(stageFraction: fraction)
            return .progress(stage: stage, overall: overall, bytesDone: done, bytesTotal: total)
        }
    }

    public func notice(_ text: String) { update { _ in .notice(text) } }

    /// Grows whenever the job gets further than before; never falls.
    var advances: Int { state.withLock { $0.reach.advances } }

    func complete() {
        update { state in .progress(stage: state.stage ?? .proof, overall: 1, bytesDone: 0, bytesTotal: 0) }
    }
}

// MARK: - What is found and done

extension JobState {
    func probed(_ found: UnitIdentity) {
        update { state in
            state.identity = found
            defer { state.isProbed = true }
            return state.isProbed ? nil : .probed(found)
        }
    }

    func planned(_ plan: Plan) {
        var plan = plan
        plan.components = plan.components.map(corrected)
        update { [plan] state in
            let isNew = state.plan != plan
            state.plan = plan
            for component in plan.components { state.progress.expect(component) }
            return isNew ? .planned(plan) : nil
        }
    }

    private func corrected(_ component: ComponentPlan) -> ComponentPlan {
        var corrected = component
        if !component.estimates.isEmpty { corrected.correction = options.corrections[component.component] }
        return corrected
    }

    var plan: Plan? { state.withLock { $0.plan } }

    /// A component that had to wait for the firmware was asked.
    func refine(_ component: ComponentPlan) {
        state.withLock { state in
            guard let index = state.plan?.components.firstIndex(where: { $0.component == component.component }) else { return }
            let component = corrected(component)
            state.plan?.components[index] = component
            state.progress.expect(component)
        }
    }

    /// Whether a component is to be written though it is current.
    public func isForced(_ component: Component) -> Bool {
        state.withLock { options.force && $0.steps[component]?.action != .updated && !$0.forced.contains(component) }
    }

    /// The component's old content is gone: a later attempt continues instead of erasing again.
    public func forceIsUnderWay(_ component: Component) { state.withLock { _ = $0.forced.insert(component) } }

    public func start(_ component: Component, from version: String?) {
        state.withLock { state in
            if state.started[component] == nil { state.started[component] = clock.now }
            if state.origins[component] == nil { state.origins[component] = version }
        }
    }

    /// What an earlier attempt of this job wrote is updated, though nobody had the time to say so.
    public func current(_ component: Component, version: String, byteCount: Int) {
        let isOurs = state.withLock { $0.started[component] != nil && $0.steps[component] == nil }
        if isOurs { return updated(component, to: version, byteCount: byteCount) }
        conclude { state in
            guard state.steps[component] == nil else { return nil }
            return StepReport(component: component, action: .current, from: version, to: version)
        }
    }

    func foreseen(_ component: Component, from: String?, to: String) {
        conclude { _ in StepReport(component: component, action: .planned, from: from, to: to) }
    }

    public func updated(_ component: Component, to version: String, byteCount: Int) {
        conclude { state in
            let seconds = state.started[component].map { $0.duration(to: clock.now) / .seconds(1) } ?? 0
            return StepReport(
                component: component, action: .updated, from: state.origins[component], to: version, bytes: byteCount, seconds: seconds)
        }
    }

    private func conclude(_ step: (State) -> StepReport?) {
        update { state in
            guard let step = step(state) else { return nil }
            state.steps[step.component] = step
            return .step(step)
        }
    }

    func lives(_ program: ProgramVerification) { state.withLock { $0.program = program } }

    func recovers(by remedy: Remedy, from reason: Diagnosis) {
        update { state in
            let recovery = Recovery(remedy: remedy, reason: reason)
            state.recoveries.append(recovery)
            return .recovery(recovery)
        }
    }

    /// Counted over all attempts.
    var transfers: TransferCounts { state.withLock { $0.transfers } }

    func count(_ change: (inout TransferCounts) -> Void) { state.withLock { change(&$0.transfers) } }

    /// What an updater keeps for the job's later attempts.
    public func memory(of component: Component) -> (any Sendable)? { state.withLock { $0.memories[component] } }

    public func remember(_ memory: any Sendable, of component: Component) { state.withLock { $0.memories[component] = memory } }

    /// Of an owner's files that were kept before they go.
    var keptNames: Set<String> { state.withLock(\.keptNames) }

    var keptFiles: [KeptFile] { state.withLock(\.keptFiles) }

    func kept(_ files: [KeptFile], _ names: Set<String>) {
        state.withLock { state in
            state.keptNames.formUnion(names)
            state.keptFiles += files
        }
    }

    func finished(_ error: Diagnosis?) -> UnitReport {
        state.withLock { state in
            let steps = components.map { component in
                state.steps[component] ?? StepReport(
                    component: component, action: state.started[component] != nil && error != nil ? .failed : .skipped,
                    from: state.origins[component], to: nil)
            }
            return UnitReport(
                identity: state.identity, family: family, steps: steps, plan: state.plan, program: state.program,
                recoveries: state.recoveries, error: error)
        }
    }
}

/// How far a job has come: stages in their order, each in 64 steps.
struct Reach {
    private let order: [Stage]
    private var furthest = 0
    private(set) var advances = 0

    init(_ components: [Component]) { order = [.connect, .probe, .preflight] + components.flatMap(\.stages) + [.proof] }

    mutating func note(_ stage: Stage, fraction: Double) {
        let here = place(of: stage) + Int(63 * min(1, max(0, fraction)))
        guard here > furthest else { return }
        (furthest, advances) = (here, advances + 1)
    }

    mutating func fallBack(to stage: Stage) { furthest = min(furthest, place(of: stage)) }

    private func place(of stage: Stage) -> Int { 64 * (order.firstIndex(of: stage) ?? 0) }
}
