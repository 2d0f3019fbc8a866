import Bluetooth
import Provisioning
import Support
import Synchronization

extension LiveServices {
    func flash(_ request: FlashRequest, events: @escaping RunEvents) async throws -> FleetReport<UnitReport> {
        let choice = try AssetChoice(
            request.options.components, for: request.fleet.families.map(\.family), from: request.inputs,
            allowsDevelopment: request.fleet.allowsDevelopment(request.inputs))
        let once = FleetNotices(events)
        let runner = FleetRunner<UnitReport>(
            policy: FleetPolicy(request.fleet, request.limits), drain: request.drain, judge: \.judgement, events: events, stop: request.records.stop,
            leavesOthers: request.fleet.units == .inReach)
        return try await recording(
            request.records, stateFolder: request.stateFolder, isRecorded: !request.options.dryRun, events: once.tell
        ) { recorder in
            try await run(request.fleet, runner, search: request.inputs.search, stateFolder: request.stateFolder) { unit, found, count in
                let rollout = request.limits.map {
                    RolloutPlan(seed: $0.seed, units: count, jobsPerAdapter: request.fleet.jobsPerAdapter, canary: $0.canary, stopAfter: $0.stopAfter)
                }
                let run = UnitRun(stateFolder: request.stateFolder, recorder: recorder, rollout: rollout, events: found.jobEvents, recorded: found.recorded)
                return try await flash(unit, with: try choice.assets(for: unit.family.id, events: once.tell), request.options, run)
            }
        }
    }

    func verify(_ request: VerifyRequest, events: @escaping RunEvents) async throws -> FleetReport<ComparedReport> {
        // It only reads: whatever the images are, no unit gets them.
        let choice = try AssetChoice(
            request.components, for: request.fleet.families.map(\.family), from: request.inputs, allowsDevelopment: true)
        let once = FleetNotices(events)
        let runner = FleetRunner<ComparedReport>(
            policy: FleetPolicy(request.fleet, nil), drain: request.drain, judge: \.judgement, events: events, stop: request.records.stop,
            leavesOthers: request.fleet.units == .inReach)
        return try await recording(request.records, stateFolder: request.stateFolder, events: once.tell) { recorder in
            try await run(request.fleet, runner, search: request.inputs.search, stateFolder: request.stateFolder) { unit, found, _ in
                try request.comparison.checkBaseline(of: unit.address)
                let assets = try choice.assets(for: unit.family.id, events: once.tell)
                let run = UnitRun(stateFolder: request.stateFolder, recorder: recorder, events: found.jobEvents, recorded: found.recorded)
                let options = unit.options(adapters: request.fleet.adapters)
                var verified = try await verify(
                    unit, against: assets, isDeep: request.isDeep, programWatch: request.programWatch, run
                ) { request.comparison.compare($0, unit: options) }
                verified.report.lastPass = verified.lastPass
                return verified.report
            }
        }
    }

    private func run<Report: Verdict>(
        _ selection: FleetSelection, _ runner: FleetRunner<Report>, search: AssetSearch, stateFolder: String,
        _ work: @escaping @Sendable (StationUnit, FoundUnit, _ count: Int) async throws -> Report
    ) async throws -> FleetReport<Report> {
        let notice = { @Sendable in runner.events(RunEvent(unit: nil, content: .notice($0))) }
        guard case .virtual(let names, let speed) = selection.units else {
            return try await Radio.with(adapters: selection.adapters, notice: notice) { adapters in
                let targets = try await FleetAir(selection: selection, stateFolder: stateFolder, notice: notice).targets(adapters.map(\.fleet))
                if selection.isOne, let unit = targets[0], let family = unit.family {
                    runner.events(RunEvent(unit: unit, content: .job(.found(family))))
                }
                let report = await runner.run(targets, on: adapters.map(\.fleet)) { unit in
                    let adapter = adapters.first { $0.fleet.name == (unit.central as? JobCentral)?.adapter }
                    return try await work(try unit.onStation(adapter: adapter?.address), unit, targets.units.count)
                }
                // The only unit of a desk comes again.
                if !selection.isOne { await Radio.forget(report.entries.compactMap(\.unit.address), on: adapters) }
                return report
            }
        }
        let fleet = try VirtualFleet(names, speed: speed, stateFolder: stateFolder, search: search, notice: notice)
        var targets = FleetTargets()
        for (name, target) in zip(fleet.names, fleet.targets) { targets.add(name, target) }
        return try await fleet.run { [targets] adapter in
            await runner.run(targets, on: [adapter]) { unit in
                var station = try unit.onStation(isVirtual: true)
                station.virtualName = unit.unit.id
                station.presence = fleet.presence(of: unit.found.address)
                return try await work(station, unit, targets.units.count)
            }
        }
    }
}

/// Tells of the files once, however many units get them.
private final class FleetNotices: Sendable {
    private let told = Mutex<Set<String>>([])
    private let events: @Sendable (RunEvent) -> Void

    init(_ events: @escaping @Sendable (RunEvent) -> Void) { self.events = events }

    func tell(_ event: JobEvent) {
        guard case .notice(let text) = event.content, told.withLock({ $0.insert(text).inserted }) else { return }
        events(RunEvent(unit: nil, content: .notice(text)))
    }
}

extension FoundUnit {
    /// - Throws: ``UnitSelectionError/otherFamily(_:)``.
    fileprivate func onStation(isVirtual: Bool = false, adapter: String? = nil) throws -> StationUnit {
        StationUnit(
            support: try .provisioned(found), central: central, address: found.address, isVirtual: isVirtual,
            rssi: isVirtual ? nil : found.rssi, adapter: adapter)
    }
}

extension FleetPolicy {
    /// - Parameter limits: `nil` for what only reads: there is nothing to protect units from.
    fileprivate init(_ selection: FleetSelection, _ rollout: RolloutLimits?) {
        self.init()
        jobsPerAdapter = selection.jobsPerAdapter
        if let time = selection.wait { wait = time }
        canary = rollout.map(\.canary) ?? 0
        limits = rollout?.guarded ?? RolloutLimits.none
        seed = rollout?.seed ?? 0
    }
}

extension UnitReport {
    var judgement: FleetEnding {
        if let error { return .failed(error) }
        return steps.contains { $0.action != .current && $0.action != .skipped } ? .proved : .alreadyCurrent
    }
}

extension ComparedReport {
    fileprivate var judgement: FleetEnding { failure.map { .failed($0) } ?? .proved }
}
