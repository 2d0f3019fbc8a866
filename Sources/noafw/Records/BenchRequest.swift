import Provisioning

/// One unit for a verb of the bench.
struct BenchRequest: Sendable {
    /// As the record has it.
    var verb: String
    var unit: UnitSelection
    var search: AssetSearch
    var stateFolder: String
    /// `nil` for a run that is not recorded.
    var records: RecordInputs?
}
