import Bluetooth
import Support

/// What reaches a virtual unit's simulator from outside.
package enum UnitEvent: Sendable {
    case connect(requestedMTU: Int, reply: LinkReply)
    case linkActivity
    /// Somebody listens: repeat the advertisement until nobody does.
    case beginAdvertising
    case input(UserInput)
}
