import Bluetooth
import Support
import Synchronization

/// Performs the decisions of ``FleetMachine``.
final class FleetSession<Report: Sendable>: Sendable {
    private struct State {
        var machine: FleetMachine
        var reports: [Int: Report] = [:]
        var seconds: [Int: Double] = [:]
    }

    private let fleet: Fleet<Report>
    private let clock: SessionClock
    private let centrals: [SharedCentral]
    private let inputs: Inbox<FleetMachine.Input>
    private let controls: [Inbox<Void>]
    private let state: Mutex<State>
    private let report: @Sendable (RunEvent) -> Void

    /// How often decisions by time are requested.
    private static var tick: Duration { .milliseconds(500) }

    init(_ fleet: Fleet<Report>, _ targets: [FleetTarget], clock: SessionClock, report: @escaping @Sendable (RunEvent) -> Void) {
        let inputs = Inbox<FleetMachine.Input>(capacity: 1 << 20)
        self.fleet = fleet
        self.clock = clock
        self.report = report
        self.inputs = inputs
        centrals = fleet.adapters.enumerated().map { index, adapter in
            SharedCentral(adapter) { ceiling, capacity in inputs.deliver(.capacity(adapter: index, links: capacity, ceiling: ceiling)) }
        }
        controls = fleet.adapters.map { _ in Inbox<Void>(capacity: 1 << 20) }
        state = Mutex(State(machine: FleetMachine(targets, adapters: fleet.adapters.map(\.name), policy: fleet.policy, at: clock.now)))
    }

    func run() async -> FleetReport<Report> {
        tell(nil, .units(state.withLock { $0.machine.members.count }))
        await withTaskGroup(of: Void.self) { group in
            var listeners = Listeners()
            do {
                while try await turn(&group, &listeners) {}
            } catch {
                inputs.deliver(.interrupt)
            }
            for control in controls { control.finish(throwing: CancellationError()) }
            await finish(&group)
        }
        for central in centrals { await central.close() }
        return result()
    }

    private struct Listeners {
        var begun: Set<Int> = []
        var wanted: Set<Int> = []
    }

    private func turn(_ group: inout TaskGroup<Void>, _ listeners: inout Listeners) async throws -> Bool {
        if fleet.isDraining() { inputs.deliver(.drain) }
        perform(&group)
        let (isOver, wantsTime, listening) = state.withLock { ($0.machine.isOver, $0.machine.wantsTime, $0.machine.listening) }
        for adapter in listening.subtracting(listeners.wanted) {
            if listeners.begun.insert(adapter).inserted { group.addTask { [self] in await listen(adapter) } }
            controls[adapter].deliver(())
        }
        listeners.wanted = listening
        guard !isOver else { return false }
        let deadline = clock.deadline(in: wantsTime ? Self.tick : .forever)
        if let input = try await inputs.next(before: deadline, on: clock) { take(input) }
        return true
    }

    private func take(_ first: FleetMachine.Input) {
        let now = clock.now
        var next: FleetMachine.Input? = first
        while let input = next {
            state.withLock { $0.machine.take(input, at: now) }
            next = inputs.poll()
        }
    }

    private func perform(_ group: inout TaskGroup<Void>) {
        let now = clock.now
        while let input = inputs.poll() { state.withLock { $0.machine.take(input, at: now) } }
        for action in state.withLock({ $0.machine.advance(at: now) }) {
            switch action {
            case .tell(let notice): tell(nil, .notice(notice.text))
            case .start(let index, let unit, let adapter):
                tell(index, .started(adapter: fleet.adapters[adapter].name))
                group.addTask { [self] in await work(index, unit, adapter) }
            case .end(let index, let result): tell(index, .ended(result, seconds: state.withLock { $0.seconds[index] ?? 0 }))
            }
        }
    }

    /// - Parameter index: the unit's index in the requested list; `nil` for what concerns no unit.
    private func tell(_ index: Int?, _ content: RunEvent.Content) {
        let unit = index.map { index in state.withLock { $0.machine.members[index].known } }
        report(RunEvent(unit: unit, time: clock.now, content: content))
    }

    /// Waits for what runs, cancelled or not.
    private func finish(_ group: inout TaskGroup<Void>) async {
        perform(&group)
        while await group.next() != nil { perform(&group) }
        perform(&group)
    }

    // MARK: Units

    private func work(_ index: Int, _ unit: DiscoveredUnit, _ adapter: Int) async {
        let job = JobCentral(centrals[adapter])
        let start = clock.now
        let policy = fleet.policy
        let bounds = BoundedWork<Report>(clock: clock, timeout: policy.unitTimeout, grace: policy.drainTimeout)
        let result = await bounds.run { [self] in
            try await fleet.work(state.withLock { $0.machine.members[index].target.unit(unit) }, unit, job)
        }
        job.end()
        let elapsed = start.duration(to: clock.now) / .seconds(1)
        state.withLock { state in
            state.seconds[index] = elapsed
            if case .success(let report) = result { state.reports[index] = report }
        }
        inputs.deliver(.ended(index, fleet.judge(result)))
    }

    private func result() -> FleetReport<Report> {
        state.withLock { state in
            let entries = state.machine.members.enumerated().map { index, member in
                let result: UnitResult =
                    if case .ended(let result) = member.phase { result } else { .notStarted(FleetError.interrupted.diagnosis) }
                return FleetEntry(
                    unit: member.known, result: result, report: state.reports[index], seconds: state.seconds[index] ?? 0,
                    adapter: member.adapter.map { fleet.adapters[$0].name })
            }
            return FleetReport(entries: entries, stop: state.machine.rollout.stop?.diagnosis)
        }
    }
}

// MARK: - Listening

extension FleetSession {
    /// A waiting unit is reported again after this time, or when its strength changes.
    private static var echo: Duration { .seconds(10) }
    /// In dB.
    private static var change: Int { 6 }

    private func listen(_ adapter: Int) async {
        var told: [DeviceAddress: (time: SessionClock.Instant, rssi: Int)] = [:]
        do {
            while true {
                _ = try await controls[adapter].next(before: clock.deadline(in: .forever), on: clock)
                guard state.withLock({ $0.machine.listening.contains(adapter) }) else { continue }
                try await centrals[adapter].listen(until: clock.deadline(in: .forever), every: Self.tick) { sighting in
                    if let sighting { hear(sighting, adapter, &told) }
                    return !state.withLock { $0.machine.listening.contains(adapter) }
                }
            }
        } catch {
            if !(error is CancellationError) { inputs.deliver(.lost(adapter: adapter, diagnose(error))) }
        }
    }

    private func hear(_ sighting: Advertisement, _ adapter: Int, _ told: inout [DeviceAddress: (time: SessionClock.Instant, rssi: Int)]) {
        let now = clock.now
        if let last = told[sighting.address], last.time.duration(to: now) < Self.echo, abs(sighting.rssi - last.rssi) < Self.change {
            return
        }
        guard let unit = fleet.families.recognise(sighting), state.withLock({ $0.machine.wants(unit) }) else { return }
        told[sighting.address] = (now, sighting.rssi)
        inputs.deliver(.heard(adapter: adapter, unit))
    }
}
