import Provisioning

struct RescueRequest: Sendable {
    var radio: RadioSelection
    var inputs: AssetInputs
    var options: JobOptions
    var stateFolder: String
    var records = RecordInputs()
}
