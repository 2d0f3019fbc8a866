import Bluetooth
import ScriptBundle
import Support
import Synchronization

/// A read-only look at one unit: versions, and with `isDeep` every byte that can be read, by digest.
public struct VerifyJob: Sendable {
    private let locator: UnitLocator
    private let updaters: [any ComponentUpdater]
    private let assets: AssetSet
    private let recorded: [Component: String]
    private let isDeep: Bool
    private let programWatch: Duration

    /// - Parameters:
    ///   - address: the application's.
    ///   - recorded: the versions that are expected of parts for which `assets` has nothing.
    ///   - programWatch: with `isDeep`, how long the program has to run without an error once it is ready.
    public init(
        family: Family, central: any Central, address: DeviceAddress, assets: AssetSet, recorded: [Component: String] = [:], isDeep: Bool,
        programWatch: Duration = JobOptions.defaultProgramWatch
    ) throws {
        locator = try UnitLocator(central: central, family: family, address: address)
        updaters = assets.updaters
        (self.assets, self.recorded, self.isDeep, self.programWatch) = (assets, recorded, isDeep, programWatch)
    }

    /// - Throws: `CancellationError` alone; what the unit or the link did wrong stands in the report.
    public func run(report: @escaping @Sendable (RunEvent) -> Void) async throws -> VerifyReport {
        try await run(on: lease(), startsProgram: true, report: report)
    }

    /// As ``run(report:)``, but the link stays and the unit's program is not started: for the caller, which keeps the unit.
    /// - Returns: the lease, which the caller ends.
    public func hold(report: @escaping @Sendable (RunEvent) -> Void) async throws -> (VerifyReport, UnitLease) {
        let lease = lease()
        return (try await run(on: lease, startsProgram: false, report: report), lease)
    }

    private func lease() -> UnitLease { UnitLease(locator, wanted: recorded.merging(updaters.versions) { $1 }) }

    private func run(
        on lease: UnitLease, startsProgram: Bool, report: @escaping @Sendable (RunEvent) -> Void
    ) async throws -> VerifyReport {
        let address = locator.address
        let unit = FleetUnit(id: "\(address)", address: address, family: locator.family)
        let tell: @Sendable (RunEvent.Content) -> Void = { report(RunEvent(unit: unit, time: locator.clock.now, content: $0)) }
        var result = VerifyReport(
            identity: UnitIdentity(address: address, name: locator.family.rawValue), family: locator.family, findings: [:],
            error: nil)
        guard !updaters.isEmpty || !recorded.isEmpty else {
            result.error = ProvisioningError.nothingWanted.diagnosis
            return result
        }
        var recoveries: [Recovery] = []
        let failure = try await lease.attempt(RetryPolicy(mayRestartUnit: false), recovering: { remedy, reason in
            let recovery = Recovery(remedy: remedy, reason: reason)
            recoveries.append(recovery)
            tell(.recovery(recovery))
        }, keepsLink: !startsProgram) {
            try await inspect(lease, &result, tell)
            if startsProgram { try await start(lease, &result) }
        }
        result.recoveries = recoveries
        result.error = failure.map(diagnose)
        return result
    }

    private func inspect(
        _ lease: UnitLease, _ result: inout VerifyReport, _ tell: @Sendable (RunEvent.Content) -> Void
    ) async throws {
        tell(.stage(.connect))
        try await lease.reach()
        tell(.stage(.probe))
        result.identity = try await lease.identity()
        tell(.probed(result.identity))
        if let name = try await lease.programAside(putsBack: false) {
            tell(
                .notice(
                    "the unit's program is called \(name) since a restart without it was cut short: noafw flash gives it its name again"))
        }
        tell(.stage(.proof))
        for (part, version) in recorded.sorted(by: { $0.key < $1.key }) {
            result.findings[part] = .init(expected: version, actual: try await lease.version(of: part))
        }
        for updater in updaters {
            result.findings[updater.component] = try await confirmed({ $0.matches }) { try await updater.verify(lease, isDeep: isDeep) }
        }
    }

    private func start(_ lease: UnitLease, _ result: inout VerifyReport) async throws {
        guard let console = try await lease.console() as? any ProgramConsole else { return }
        if isDeep, let scripts = assets.scripts, result.findings[ScriptSet.component]?.matches == true {
            result.program = try await console.verifyProgram(of: scripts, watching: programWatch)
        } else {
            try await console.startProgram()
        }
    }
}
