import Bluetooth
import Ledger
import Provisioning
import Support

extension LiveServices {
    func flash(_ request: FlashRequest, events: @escaping Events) async throws -> FleetReport<UnitReport> {
        let choice = try AssetChoice(
            request.options.components, for: request.fleet.families.map(\.family), from: request.inputs,
            allowsDevelopment: request.fleet.allowsDevelopment(request.inputs))
        let once = OnceNotices(events)
        let run = FleetRun<UnitReport>(request.fleet, request.limits, request.drain, request.records.stop, events)
        return try await recording(
            request.records, stateFolder: request.stateFolder, isRecorded: !request.options.dryRun, events: once.tell
        ) { recorder in
            try await perform(run, search: request.inputs.search, stateFolder: request.stateFolder) { unit, found, count in
                let rollout = request.limits.map {
                    RolloutPlan(
                        seed: $0.seed, units: count, jobsPerAdapter: request.fleet.jobsPerAdapter, canary: $0.canary,
                        stopAfter: $0.stopAfter)
                }
                let assets = try choice.assets(for: unit.family.id, events: once.tell)
                return try await provision(
                    "flash", unit, with: assets, request.options, found.run(request.stateFolder, recorder, rollout: rollout))
            }
        }
    }

    func verify(_ request: VerifyRequest, events: @escaping Events) async throws -> FleetReport<ComparedReport> {
        // It only reads: whatever the images are, no unit gets them.
        let choice = try AssetChoice(
            request.components, for: request.fleet.families.map(\.family), from: request.inputs, allowsDevelopment: true)
        let once = OnceNotices(events)
        let run = FleetRun<ComparedReport>(request.fleet, nil, request.drain, request.records.stop, events)
        return try await recording(request.records, stateFolder: request.stateFolder, events: once.tell) { recorder in
            try await perform(run, search: request.inputs.search, stateFolder: request.stateFolder) { unit, found, _ in
                try request.comparison.checkBaseline(of: unit.address)
                let assets = try choice.assets(for: unit.family.id, events: once.tell)
                let options = unit.options(adapters: request.fleet.adapters)
                var verified = try await verify(
                    "verify", unit, against: assets, isDeep: request.isDeep, programWatch: request.programWatch,
                    found.run(request.stateFolder, recorder)
                ) { request.comparison.compare($0, unit: options) }
                verified.report.lastPass = verified.lastPass
                return verified.report
            }
        }
    }

    /// Puts virtual units on the air, or finds those on the real one, and has `work` done on each.
    private func perform<Report: RecordedReport>(
        _ run: FleetRun<Report>, search: AssetSearch, stateFolder: String,
        _ work: @escaping @Sendable (StationUnit, FoundUnit, _ count: Int) async throws -> Report
    ) async throws -> FleetReport<Report> {
        let selection = run.selection
        let notice = { @Sendable in run.events(.notice($0)) }
        guard case .virtual(let names, let speed) = selection.units else {
            return try await Radio.with(adapters: selection.adapters, notice: notice) { adapters in
                let targets = try await FleetAir(selection: selection, stateFolder: stateFolder, notice: notice).targets(
                    adapters.map(\.fleet))
                if selection.isOne, let unit = targets.first?.unit(), let family = unit.family {
                    run.events(RunEvent(unit: unit, content: .found(family)))
                }
                let report = await run.perform(targets, on: adapters.map(\.fleet)) { unit in
                    let adapter = adapters.first { $0.fleet.name == (unit.central as? JobCentral)?.adapter }
                    return try await work(try unit.onStation(adapter: adapter?.address), unit, targets.count)
                }
                // The only unit of a desk comes again.
                if !selection.isOne { await Radio.forget(report.entries.compactMap(\.unit.address), on: adapters) }
                return report
            }
        }
        let fleet = try VirtualFleet(names, speed: speed, stateFolder: stateFolder, search: search, notice: notice)
        return try await fleet.run { adapter in
            await run.perform(fleet.targets, on: [adapter]) { unit in
                var station = try unit.onStation(isVirtual: true)
                station.virtualName = unit.unit.id
                station.presence = fleet.presence(of: unit.found.address)
                return try await work(station, unit, fleet.targets.count)
            }
        }
    }
}
