import Bluetooth
import Support

/// What a unit shows to the air while a central can connect to it.
struct Advertising: Sendable {
    var advertisement: Advertisement
    /// What the unit answers to a central that asks for any ATT MTU.
    var largestMTU: Int
    var table: GATTTable
    /// It asks for encryption as soon as a link is up.
    var requestsSecurity = false
    /// Where a central's wish to connect goes.
    var unit: Inbox<UnitEvent>
}
