import Bluetooth
import Provisioning

/// A unit on its station, taken for one command.
struct StationUnit: Sendable {
    let support: SupportedFamily
    let central: any Central
    /// The application's.
    let address: DeviceAddress
    /// `nil` for a unit that is not virtual.
    let sensors: VirtualSensors?

    var family: Family { support.family }
}
