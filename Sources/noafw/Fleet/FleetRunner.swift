import Bluetooth
import Provisioning
import ScriptBundle
import Support
import Synchronization

/// Finds the units of a fleet and has each worked on.
struct FleetRunner: Sendable {
    /// Units advertise several times a second: who is in reach is heard within this time.
    static let census = Duration.seconds(4)

    var selection: FleetSelection
    var policy: FleetPolicy
    var stateFolder: String
    var drain: Drain
    var events: @Sendable (FleetRunEvent) -> Void

    /// - Parameters:
    ///   - virtual: the virtual units' names and addresses.
    ///   - judge: what a report comes to for the units behind it.
    /// - Throws: ``UnitSelectionError`` for an empty fleet, ``LinkError``.
    func run<Report: Verdict>(
        _ adapters: [FleetAdapter], virtual: [(VirtualUnitName, DeviceAddress)] = [], judge: @escaping @Sendable (Report) -> FleetJudgement,
        work: @escaping @Sendable (FoundUnit) async throws -> Report
    ) async throws -> FleetReport<Report> {
        let unexpected = Mutex<[Int: Diagnosis]>([:])
        var fleet = Fleet<Report>(
            adapters: adapters, families: .supported, policy: policy, isDraining: { drain.isAsked },
            judge: { result in
                switch result {
                case .success(let report): judge(report)
                // Nothing was done to it, and nothing is wrong.
                case .failure(let error) where isUnexpected(error): .alreadyCurrent
                case .failure(let error): .failed(diagnose(error))
                }
            }, work: { _, _ in throw CancellationError() })
        let targets = try await targets(fleet, adapters, virtual)
        let mapper = FleetEventMapper(targets, tell: events)
        fleet = Fleet(
            adapters: adapters, families: .supported, policy: policy, isDraining: fleet.isDraining, judge: fleet.judgeForCaller,
            work: { found, central in
                do {
                    return try await work(FoundUnit(unit: targets.unit(found), found: found, central: central, events: events))
                } catch where isUnexpected(error) {
                    if let index = targets.index(of: found) { unexpected.withLock { $0[index] = diagnose(error) } }
                    throw error
                }
            })
        let result = await fleet.run(targets.targets) { mapper.handle($0) }
        let others = unexpected.withLock { $0 }
        return FleetReport(
            entries: result.outcomes.enumerated().map { entry($1, asked: targets[$0], unexpected: others[$0]) }, stop: result.stop?.diagnosis)
    }
}
