import Provisioning
import Support

/// Works on many units at once.
protocol FleetService: Sendable {
    typealias FleetEvents = @Sendable (RunEvent) -> Void

    /// - Throws: a ``DiagnosableError`` when the run ends before there is a fleet.
    func flash(_ request: FleetFlashRequest, events: @escaping FleetEvents) async throws -> FleetReport<UnitReport>
    func verify(_ request: FleetVerifyRequest, events: @escaping FleetEvents) async throws -> FleetReport<ComparedReport>
}

struct FleetFlashRequest: Sendable {
    var fleet: FleetSelection
    var inputs: AssetInputs
    var options: JobOptions
    var limits: RolloutLimits
    var records: RecordInputs
    var stateFolder: String
    /// Asked before each unit: once it drains, those that run are finished and no more are started.
    var drain: Drain
}

struct FleetVerifyRequest: Sendable {
    var fleet: FleetSelection
    var inputs: AssetInputs
    /// `nil` for all that each unit has.
    var components: Set<Component>?
    /// Compare digests computed on the units, not just versions.
    var isDeep: Bool
    var programWatch = JobOptions.defaultProgramWatch
    var comparison: Comparison
    var records: RecordInputs
    var stateFolder: String
    var drain: Drain
}
