import Bluetooth
import Support

/// Works on many units at once over one or more adapters.
///
/// Each unit's work is independent: an error, a hang or the end of one neither hides nor delays the others. When the task is
/// cancelled, running units are cancelled, report and are awaited; the others are not started.
public struct Fleet<Report: Sendable>: Sendable {
    public typealias Work = @Sendable (FleetUnit, DiscoveredUnit, any Central) async throws -> Report
    public typealias Judge = @Sendable (Result<Report, any Error>) -> UnitResult

    public var adapters: [FleetAdapter]
    public var families: FamilyList
    public var policy: FleetPolicy
    /// Asked before each unit: if true, running units finish and no more are started.
    public var isDraining: @Sendable () -> Bool
    let judge: Judge
    let work: Work

    /// - Parameters:
    ///   - families: that the units may belong to.
    ///   - judge: turns a unit's report or error into its result.
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

    /// Works on the units until each has a result.
    public func run(_ targets: [FleetTarget], report: @escaping @Sendable (RunEvent) -> Void = { _ in }) async -> FleetReport<Report> {
        guard let clock = adapters.first?.central.clock else {
            return FleetReport(
                entries: targets.map { FleetEntry(unit: $0.unit(), result: .notStarted(FleetError.noAdapterLeft.diagnosis)) })
        }
        return await FleetSession(self, targets, clock: clock, report: report).run()
    }

}

extension FamilyList {
    /// The units in reach of any adapter, the strongest first; each once.
    /// - Parameter duration: units advertise several times a second.
    /// - Throws: ``LinkError`` or the radio's own error when no adapter can listen.
    public func census(of adapters: [FleetAdapter], for duration: Duration = .seconds(4)) async throws -> [DiscoveredUnit] {
        let heard = await withTaskGroup(of: Result<[DiscoveredUnit], any Error>.self) { group in
            for adapter in adapters {
                group.addTask {
                    do { return .success(try await listen(adapter.central, for: duration)) } catch { return .failure(error) }
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

    private func listen(_ central: any Central, for duration: Duration) async throws -> [DiscoveredUnit] {
        var results = ScanResults(of: self, capacity: ScanResults.crowd)
        let clock = central.clock
        try await central.listen(until: clock.deadline(in: duration), every: .milliseconds(500)) { sighting in
            if let sighting { results.note(sighting, at: clock.now) }
            return false
        }
        return results.units
    }
}
