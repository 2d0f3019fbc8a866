import Provisioning

/// Compares one unit with what it should hold.
protocol VerifyService: Sendable {
    /// - Throws: a ``DiagnosableError`` when the run ends before there is a unit to report on.
    func verify(_ request: VerifyRequest, events: @escaping @Sendable (JobEvent) -> Void) async throws -> VerifiedUnit
}

struct VerifyRequest: Sendable {
    var unit: UnitSelection
    var inputs: AssetInputs
    /// `nil` for all that the unit has.
    var components: Set<Component>?
    /// Compare digests computed on the unit, not just versions.
    var isDeep: Bool
    var programWatch = JobOptions.defaultProgramWatch
    var stateFolder: String
    var records = RecordInputs()
}
