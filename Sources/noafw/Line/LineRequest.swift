import Bluetooth
import Provisioning
import Support

struct LineRequest: Sendable {
    /// The family, the adapter, and the virtual units that are put there one after another.
    var units: FleetSelection
    /// Addresses that are taken, and no others; `nil` takes what lies beside the adapter.
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

/// What happens at a line, beside what happens to its unit.
enum LineEvent: Sendable {
    /// The place is free.
    case waiting
    /// A serial number is wanted before the unit is worked on.
    case asking
    case scanned(SerialPrompt.Answer)
    case several([String])
    case began(FleetUnit, serial: String?)
    case ended(FleetEntry<UnitReport>, serial: String?)
    /// A unit is here again that has passed `before` ago.
    case metAgain(FleetUnit, before: Duration)
    case remark(String)
    case draining
}
