import Bluetooth
import Support

/// What reaches a virtual unit's simulator from outside.
enum UnitEvent: Sendable {
    case connect(requestedMTU: Int, reply: LinkReply)
    case linkActivity
    case discoveryStarted
    case input(UserInput)
}
