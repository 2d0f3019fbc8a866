import Bluetooth
import Provisioning

struct PairRequest: Sendable {
    var unit: UnitSelection
    var search: AssetSearch
    var stateFolder: String
    var notice: @Sendable (String) -> Void
}

struct UnpairRequest: Sendable {
    enum Unit: Sendable, Hashable {
        case virtual(VirtualUnitName)
        case radio(DeviceAddress, adapter: String?)
        /// The only one that this station has worked on.
        case known(adapter: String?)
    }

    var unit: Unit
    var search: AssetSearch
    var stateFolder: String
    /// Makes a virtual unit forget its side, too.
    var pressesCradleButton = false
}
