import Bluetooth
import Provisioning

/// Makes and gives up the bonds between this host and units.
protocol BondService: Sendable {
    /// Bonds with a unit where there is no bond, and proves that the unit takes it.
    func pair(_ request: PairRequest) async throws -> BondReport
    /// Gives up this host's side of a bond; the unit need not be in reach.
    func unpair(_ request: UnpairRequest) async throws -> BondReport
}

struct PairRequest: Sendable {
    var unit: UnitSelection
    var search: AssetSearch
    var stateFolder: String
    var notice: @Sendable (String) -> Void
}

struct UnpairRequest: Sendable {
    enum Unit: Sendable, Hashable {
        case virtual(VirtualUnitSelection)
        case radio(DeviceAddress, adapter: String?)
        /// The only one that this station has worked on.
        case known(adapter: String?)
    }

    var unit: Unit
    var search: AssetSearch
    var stateFolder: String
    /// Of a virtual unit: it forgets its side, too.
    var pressesCradleButton = false
}
