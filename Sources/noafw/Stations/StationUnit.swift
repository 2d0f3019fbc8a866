import Bluetooth
import Provisioning

/// A unit on its station, taken for one command.
struct StationUnit: Sendable {
    let support: SupportedFamily
    let central: any Central
    /// The application's.
    let address: DeviceAddress
    /// Virtual units have a lock of their own.
    var isVirtual = false
    /// `nil` for a unit that is not virtual.
    var sensors: VirtualSensors?
    /// Of its advertisement, in dBm.
    var rssi: Int?
    /// The address of the adapter that is to reach it.
    var adapter: String?

    var family: Family { support.family }
}
