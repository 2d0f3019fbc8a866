import Bluetooth
import Support

/// Works on many units at once over one adapter or several.
///
/// Each unit's work is on its own: an error, a hang or an end of one neither hides nor slows the others. What a task's cancellation
/// meets is cancelled, reports and is waited for; what was not begun is not.
public struct Fleet<Report: Sendable>: Sendable {
    public typealias Work = @Sendable (DiscoveredUnit, any Central) async throws -> Report
    public typealias Judge = @Sendable (Result<Report, any Error>) -> FleetEnding

    public var adapters: [FleetAdapter]
    public var families: FamilyList
    public var policy: FleetPolicy
    /// Asked before each unit is started: when it says so, those that run are finished and no more are started.
    public var isDraining: @Sendable () -> Bool
    let judge: Judge
    let work: Work

    /// - Parameters:
    ///   - families: of which the units may be.
    ///   - judge: what a unit's report, or its error, comes to.
    ///   - work: on one unit, with a central that it shares with others (a ``JobCentral``).
    public init(
        adapters: [FleetAdapter], families: FamilyList, policy: FleetPolicy = FleetPolicy(),
        isDraining: @escaping @Sendable () -> Bool = { false }, judge: @escaping Judge, work: @escaping Work
    ) {
        self.adapters = adapters
        self.families = families
        self.policy = policy
        self.isDraining = isDraining
        self.judge = judge
        self.work = work
    }

    /// Works on the units until each has its outcome.
    public func run(_ targets: [FleetTarget], report: @escaping @Sendable (FleetEvent) -> Void = { _ in }) async -> FleetResult<Report> {
        guard let clock = adapters.first?.central.clock else {
            let ending = FleetEnding.notStarted(FleetError.noAdapterLeft.diagnosis)
            let outcomes = targets.map { FleetOutcome<Report>(target: $0, unit: nil, adapter: nil, ending: ending, report: nil, elapsed: .zero) }
            return FleetResult(outcomes: outcomes, stop: nil, seed: policy.seed)
        }
        return await FleetSession(self, targets, clock: clock, report: report).run()
    }

    /// Who is in reach of any of the adapters, the strongest first; each unit once.
    /// - Parameter duration: how long is listened; units advertise several times a second.
    /// - Throws: ``LinkError`` or the radio's own when no adapter can listen.
    public func census(for duration: Duration = .seconds(4)) async throws -> [DiscoveredUnit] {
        let heard = await withTaskGroup(of: Result<[DiscoveredUnit], any Error>.self) { group in
            for adapter in adapters {
                group.addTask { [families] in
                    do { return .success(try await Self.listen(adapter.central, families, for: duration)) } catch { return .failure(error) }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        try Task.checkCancellation()
        let lists = heard.compactMap { try? $0.get() }
        if lists.isEmpty, let failed = heard.first { _ = try failed.get() }
        var units: [DeviceAddress: DiscoveredUnit] = [:]
        for unit in lists.joined() {
            guard let known = units[unit.address] else {
                units[unit.address] = unit
                continue
            }
            let isBetter = known.mode == unit.mode ? unit.rssi > known.rssi : unit.mode == .application
            if isBetter { units[unit.address] = unit }
        }
        return units.values.sorted { ($1.rssi, $0.address.description) < ($0.rssi, $1.address.description) }
    }

    private static func listen(_ central: any Central, _ families: FamilyList, for duration: Duration) async throws -> [DiscoveredUnit] {
        var results = ScanResults(of: families, capacity: ScanResults.crowd)
        let clock = central.clock
        try await central.listen(until: clock.deadline(in: duration), every: .milliseconds(500)) { sighting in
            if let sighting { results.note(sighting, at: clock.now) }
            return false
        }
        return results.units
    }
}
