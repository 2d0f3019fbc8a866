import Provisioning

/// Brings one unit to the wanted state.
protocol FlashService: Sendable {
    /// - Throws: a ``DiagnosableError`` when the run ends before there is a unit to report on.
    func flash(_ request: FlashRequest, events: @escaping @Sendable (JobEvent) -> Void) async throws -> UnitReport
}

struct FlashRequest: Sendable {
    var unit: UnitSelection
    var inputs: AssetInputs
    var options: JobOptions
    /// The folder of virtual units, journal and ledger; absolute, it may not exist yet.
    var stateFolder: String
    var records = RecordInputs()
}
