import Bluetooth
import Ledger
import Provisioning
import Support

extension LiveServices {
    func flash(_ request: FlashRequest, events: @escaping Events) async throws -> FleetReport<UnitReport> {
        let choice = try AssetChoice(
            request.options.components, for: try request.fleet.provisioned, from: request.inputs,
            allowsDevelopment: request.fleet.allowsDevelopment(request.inputs))
        let once = OnceNotices(events)
        let work = FlashWork(services: self, verb: "flash", options: request.options, station: request.records.station, notices: once) {
            try choice.assets(for: $0.id, events: $1)
        }
        let run = FleetRun(
            selection: request.fleet, search: request.inputs.search, stateFolder: request.stateFolder, limits: request.limits,
            drain: request.drain, records: request.records, isRecorded: !request.options.dryRun, events: events)
        return try await perform(work, on: run, once)
    }

    func verify(_ request: VerifyRequest, events: @escaping Events) async throws -> FleetReport<ComparedReport> {
        // It only reads: whatever the images are, no unit gets them.
        let choice = try AssetChoice(
            request.components, for: try request.fleet.provisioned, from: request.inputs, allowsDevelopment: true)
        let once = OnceNotices(events)
        let run = FleetRun(
            selection: request.fleet, search: request.inputs.search, stateFolder: request.stateFolder, drain: request.drain,
            records: request.records, events: events)
        return try await perform(VerifyWork(services: self, request: request, choice: choice, notices: once), on: run, once)
    }

    /// Finds the units and has `work` done on each.
    private func perform<Work: UnitWork>(_ work: Work, on run: FleetRun, _ once: OnceNotices) async throws -> FleetReport<Work.Report> {
        try await recording(run.records, stateFolder: run.stateFolder, isRecorded: run.isRecorded, events: once.tell) { recorder in
            try await withStation(
                run.selection, search: run.search, stateFolder: run.stateFolder, events: run.events
            ) { station in
                let targets = try await station.targets()
                if run.selection.isOne, let unit = targets.first?.unit(), let family = unit.family {
                    run.events(RunEvent(unit: unit, content: .found(family)))
                }
                let task = UnitTask(
                    station: station, work: work, recorder: recorder, rollout: run.rollout(of: targets.count), stop: run.records.stop,
                    events: run.events)
                let report = await run.fleet(task).run(targets, report: run.events)
                await station.forget(report.entries.compactMap(\.unit.address))
                return report
            }
        }
    }
}

/// How the units of one command are worked on, whatever is done with each.
struct FleetRun: Sendable {
    var selection: UnitSelection
    var search: AssetSearch
    var stateFolder: String
    /// `nil` for what only reads, and for a unit that is run by itself: there is nothing to protect units from.
    var limits: RolloutLimits?
    var drain: Drain
    var records: RecordInputs
    var isRecorded = true
    var events: LiveServices.Events

    func fleet<Work: UnitWork>(_ task: UnitTask<Work>) -> Fleet<Work.Report> {
        var policy = FleetPolicy()
        policy.jobsPerAdapter = selection.jobsPerAdapter
        if let time = selection.wait { policy.wait = time }
        policy.canary = limits.map(\.canary) ?? 0
        policy.limits = limits?.guarded ?? RolloutLimits.none
        policy.seed = limits?.seed ?? 0
        return Fleet(
            adapters: task.station.adapters.map(\.fleet), families: .supported, policy: policy, isDraining: { [drain] in drain.isAsked },
            judge: task.judge, work: task.perform)
    }

    func rollout(of count: Int) -> RolloutPlan? {
        limits.map {
            RolloutPlan(
                seed: $0.seed, units: count, jobsPerAdapter: selection.jobsPerAdapter, canary: $0.canary, stopAfter: $0.stopAfter)
        }
    }
}
