import Bluetooth
import Support

/// What a unit shows to the air while a central can connect to it.
package struct Advertising: Sendable {
    package var advertisement: Advertisement
    /// What the unit answers to a central that asks for any ATT MTU.
    package var largestMTU: Int
    package var table: GATTTable
    /// It asks for encryption as soon as a link is up.
    package var requestsSecurity = false
    /// Where a central's wish to connect goes.
    var unit: Inbox<UnitEvent>
}
