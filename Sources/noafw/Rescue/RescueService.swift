import Provisioning

/// Finishes units that are stranded in their bootloaders.
protocol RescueService: Sendable {
    /// Works on one unit after the other.
    func rescue(_ request: RescueRequest, events: @escaping @Sendable (JobEvent) -> Void) async throws -> RescueReport
}

struct RescueRequest: Sendable {
    var radio: RadioSelection
    var inputs: AssetInputs
    var options: JobOptions
    var stateFolder: String
    var records = RecordInputs()
}
