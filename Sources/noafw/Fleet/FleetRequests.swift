import Provisioning
import Support

struct FlashRequest: Sendable {
    var fleet: UnitSelection
    var inputs: AssetInputs
    var options: JobOptions
    /// `nil` for a unit that is run by itself.
    var limits: RolloutLimits?
    var records = RecordInputs()
    /// The folder of virtual units, journal and ledger; absolute, it may not exist yet.
    var stateFolder: String
    /// Asked before each unit: once it drains, those that run are finished and no more are started.
    var drain = Drain()
}

struct VerifyRequest: Sendable {
    var fleet: UnitSelection
    var inputs: AssetInputs
    /// `nil` for all that each unit has.
    var components: Set<Component>?
    /// Compare digests computed on the units, not just versions.
    var isDeep: Bool
    var programWatch = JobOptions.defaultProgramWatch
    var comparison: Comparison
    var records = RecordInputs()
    var stateFolder: String
    var drain = Drain()
}
