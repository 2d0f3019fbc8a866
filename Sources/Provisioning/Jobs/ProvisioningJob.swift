import Bluetooth
import ScriptBundle
import Support

/// Brings one unit from whatever it is to what the assets say, and verifies it.
///
/// A job is a series of attempts. Each asks the unit what it holds, makes a plan of it and does what is left: a lost link, a
/// reset or a power cut only begins the next attempt (``RetryPolicy`` says how). Nothing is remembered but the unit itself.
public struct ProvisioningJob: Sendable {
    private let locator: UnitLocator
    private let updaters: [any ComponentUpdater]
    private let assets: AssetSet
    private let options: JobOptions

    /// - Parameter address: the application's.
    /// - Throws: ``ProvisioningError/noConsole(_:)`` for a family whose units are never written to.
    public init(
        family: Family, central: any Central, address: DeviceAddress, assets: AssetSet, options: JobOptions
    ) throws {
        locator = try UnitLocator(central: central, family: family, address: address)
        self.assets = assets.limited(to: options.components)
        self.options = options
        updaters = self.assets.updaters
    }

    /// - Returns: the verdict; a failed unit is a report, not an error. A unit of which nothing is wanted is not looked for.
    /// - Throws: `CancellationError` alone.
    public func run(report: @escaping @Sendable (RunEvent) -> Void) async throws -> UnitReport {
        let state = JobState(
            unit: UnitIdentity(address: locator.address, name: locator.family.rawValue), family: locator.family,
            components: locator.rules.components, options: options, expecting: updaters.flatMap { $0.wholeUpdate(interval: 0.015) },
            clock: locator.clock, report: report)
        guard !updaters.isEmpty else { return state.finished(ProvisioningError.nothingWanted.diagnosis) }
        let lease = UnitLease(locator, leavesOutProgram: options.force && !options.dryRun, wanted: updaters.versions)
        let policy = RetryPolicy(mayRestartUnit: locator.rules.restartWithoutProgram != nil)
        let failure = try await lease.attempt(
            policy, progress: { state.advances }, recovering: { state.recovers(by: $0, from: $1) }
        ) { try await attempt(lease, state) }
        return state.finished(failure.map(diagnose))
    }

    private func attempt(_ lease: UnitLease, _ state: JobState) async throws {
        state.begin(.connect)
        guard let mode = try await lease.hasLink ? .application : locator.find() else {
            throw state.transfers.whole > 0 ? ProvisioningError.doesNotReturn : lease.absence()
        }
        if mode == .bootloader, try await !leaveBootloader(lease, state) { return }
        state.begin(.probe)
        if let name = try await lease.programAside(putsBack: !options.dryRun) {
            state.notice(
                "the unit's program was called \(name) since a restart without it was cut short"
                    + (options.dryRun ? "" : "; it has its name again"))
        }
        state.probed(try await lease.identity())
        let planned = try await inspect(lease, state)
        if options.dryRun {
            try await foresee(planned, lease, state)
        } else {
            try await apply(planned, lease, state)
            try await putBack(lease, state)
            try await locator.rules.tidyUp(lease, state)
        }
        try await verify(lease, state)
    }
}

// MARK: - Inspect, apply, verify

extension ProvisioningJob {
    /// Everything is asked first, but what depends on a firmware that the unit does not have yet.
    private func inspect(_ lease: UnitLease, _ state: JobState) async throws -> [any PlannedUpdate] {
        var planned: [any PlannedUpdate] = []
        for updater in updaters {
            let mustWait = !options.dryRun && planned.contains(where: \.plan.outdatesOthers)
            guard mustWait else {
                planned.append(try await updater.inspect(lease, state))
                continue
            }
            let own = try await updater.ownFiles(lease, state)
            planned.append(
                UpdateAfterFirmware(updater: updater, ownFiles: own, interval: lease.connectionInterval) {
                    try await checkPreflight(lease, state)
                })
        }
        state.planned(plan(try await tellFiles(of: planned, lease, state)))
        return planned
    }

    private var erasesFiles: Bool { locator.rules.firmwareErasesFiles }

    /// What a person has put on the unit: what goes is told with the part that takes it, and what stays.
    private func tellFiles(of planned: [any PlannedUpdate], _ lease: UnitLease, _ state: JobState) async throws -> [ComponentPlan] {
        var plans = planned.map(\.plan)
        var others = planned.flatMap(\.ownFiles.others)
        if erasesFiles, let index = plans.firstIndex(where: \.outdatesOthers) {
            if assets.scripts == nil { others += try await ScriptUpdater.strangers(lease) }
            let names = planned.flatMap(\.ownFiles.replaced) + others
            guard !names.isEmpty else { return plans }
            plans[index].erases = names
            state.notice("the new \(plans[index].component) may erase on the unit: \(OwnFiles.list(names))\(kept)")
        } else {
            for (index, update) in planned.enumerated() where update.plan.action != .current && !update.ownFiles.replaced.isEmpty {
                plans[index].erases = update.ownFiles.replaced
                state.notice("the \(update.plan.component) replace on the unit: \(OwnFiles.list(update.ownFiles.replaced))\(kept)")
            }
            if !others.isEmpty { state.notice("left alone on the unit: \(OwnFiles.list(others))") }
        }
        return plans
    }

    private var kept: String { options.keeping.map { " (kept in \($0.folder(locator.address)))" } ?? "" }

    /// Reads what goes and has it kept, once for all attempts: a later one finds it gone.
    private func keepFiles(_ lease: UnitLease, _ state: JobState) async throws {
        guard let keeping = options.keeping, let plan = state.plan else { return }
        // New firmware without scripts leaves the unit with none.
        let takesAll = erasesFiles && assets.scripts == nil && plan.components.contains(where: \.outdatesOthers)
        let names = Set(takesAll ? try await lease.program().files.list(.root).map(\.name) : plan.erases).subtracting(state.keptNames)
        guard !names.isEmpty else { return }
        let files = try await lease.program().files.contents(of: names)
        if !files.isEmpty {
            let place = try await keeping.keep(files, try await lease.identity(), locator.family, options.putsBack)
            let count = Self.files(files.count, "of the unit is", "of the unit are")
            state.notice("\(count) kept in \(place): noafw restore puts back what is kept")
        }
        state.kept(files, names)
    }

    /// Puts back what this job has kept, and what one that was cut short has, unless another file has taken its place. Each file is
    /// proved on the unit.
    private func putBack(_ lease: UnitLease, _ state: JobState) async throws {
        guard let keeping = options.keeping else { return }
        let due = state.keptFiles
        guard options.putsBack else {
            if let owed = try? await keeping.owed(locator.address), !owed.isEmpty {
                let place = keeping.folder(locator.address)
                state.notice(
                    "\(Self.files(owed.count, "is", "are")) still kept in \(place) since an update was cut short: "
                        + "noafw update or noafw restore puts back what is kept")
            }
            return
        }
        let owed = try await keeping.owed(locator.address).filter { file in !due.contains { $0.path == file.path } }
        guard !due.isEmpty || !owed.isEmpty else { return }
        let files = try await lease.program().files
        var (back, replaced): (Int, [String]) = (due.count, [])
        for file in due where try await !files.holds(file.bytes, at: file.path) { try await files.putBack(file) }
        for file in owed where try await !files.holds(file.bytes, at: file.path) {
            guard try await files.find(file.path) == nil else {
                replaced.append(file.path.text)
                continue
            }
            try await files.putBack(file)
            back += 1
        }
        try await keeping.settle(locator.address)
        if back > 0 { state.notice("\(Self.files(back, "is", "are")) back on the unit") }
        if !replaced.isEmpty {
            state.notice("left as they are on the unit, since they are others now: \(OwnFiles.list(replaced))\(kept)")
        }
        lease.forget(ScriptSet.component)
    }

    private static func files(_ count: Int, _ one: String, _ several: String) -> String {
        count == 1 ? "1 file \(one)" : "\(count) files \(several)"
    }

    private func plan(_ components: [ComponentPlan]) -> Plan {
        Plan(family: locator.family, unit: locator.address.description, components: components)
    }

    /// A dry run ends with the error that the job would end with.
    private func foresee(_ planned: [any PlannedUpdate], _ lease: UnitLease, _ state: JobState) async throws {
        let isAfterFirmware = planned.contains(where: \.plan.outdatesOthers)
        for update in planned {
            if update.plan.action != .current {
                if update.erases { try await checkPreflight(lease, state) }
                try await update.foresee(lease, isAfterFirmware: isAfterFirmware)
            }
            foresee([update.plan], state)
        }
    }

    private func foresee(_ plans: [ComponentPlan], _ state: JobState) {
        for plan in plans {
            switch plan.action {
            case .current: state.current(plan.component, version: plan.to, byteCount: plan.byteCount)
            case .update, .afterFirmware: state.foreseen(plan.component, from: plan.from, to: plan.to)
            }
        }
    }

    private func apply(_ planned: [any PlannedUpdate], _ lease: UnitLease, _ state: JobState) async throws {
        if planned.contains(where: { $0.plan.action != .current }) {
            try await options.beforeChange(state.plan)
            try await keepFiles(lease, state)
        }
        for update in planned {
            let plan = update.plan
            guard plan.action != .current else {
                state.current(plan.component, version: plan.to, byteCount: plan.byteCount)
                continue
            }
            if update.erases { try await checkPreflight(lease, state) }
            try await update.apply(lease, state)
        }
    }

    private func checkPreflight(_ lease: UnitLease, _ state: JobState) async throws {
        state.begin(.preflight)
        let preflight = Preflight(updaters: updaters, options: options)
        do {
            try preflight.check(try await lease.identity())
        } catch is ProvisioningError {
            lease.forgetFacts()
            try preflight.check(try await lease.identity())
        }
        if !options.dryRun { try await options.beforeErase() }
    }

    /// Only what the unit says after its last change makes the verdict. Then its program has to live.
    private func verify(_ lease: UnitLease, _ state: JobState) async throws {
        state.begin(.proof)
        let identity = try await lease.identity()
        state.probed(identity)
        if !options.dryRun {
            for updater in updaters where identity.versions[updater.component] != updater.version {
                throw ProvisioningError.wrongVersion(
                    updater.component, expected: updater.version, actual: identity.versions[updater.component])
            }
        }
        if let console = try await lease.console() as? any ProgramConsole {
            if !options.dryRun, options.provesProgram, let scripts = assets.scripts {
                state.lives(try await console.verifyProgram(of: scripts, watching: options.programWatch))
            } else {
                try await console.startProgram()
                if !options.dryRun, !options.provesProgram {
                    state.notice("the unit's program was started, and nothing proves that it lives")
                }
            }
        }
        state.complete()
    }
}

// MARK: - From a bootloader

extension ProvisioningJob {
    /// Finishes the firmware of a unit that is found in its bootloader.
    /// - Returns: whether the job goes on with the unit's application.
    private func leaveBootloader(_ lease: UnitLease, _ state: JobState) async throws -> Bool {
        guard let firmware = updaters.first(where: \.leavesBootloader) else { throw ProvisioningError.inBootloader }
        guard !options.dryRun else {
            let plans = updaters.map { $0.plan($0.component == firmware.component ? .update : .afterFirmware, from: nil) }
            state.planned(plan(plans))
            foresee(plans, state)
            return false
        }
        try await options.beforeChange(nil)
        try await options.beforeErase()
        state.notice("the unit is in its bootloader: finishing its firmware first")
        state.start(firmware.component, from: nil)
        try await firmware.transfer(lease, state)
        return true
    }
}
