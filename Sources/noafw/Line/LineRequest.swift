import Bluetooth
import Provisioning
import Support

struct LineRequest: Sendable {
    /// The family, the adapter, and the virtual units that are put there one after another.
    var units: UnitSelection
    /// The only addresses that are taken; `nil` takes what is next to the adapter.
    var allowed: Set<DeviceAddress>?
    /// In dBm.
    var threshold: Int
    /// Work on a unit again that has passed.
    var repeatsPassed: Bool
    /// `nil` asks for none.
    var serials: SerialDesk?
    var inputs: AssetInputs
    var options: JobOptions
    var limits: RolloutLimits
    var records: RecordInputs
    var stateFolder: String
    var drain: Drain
}
