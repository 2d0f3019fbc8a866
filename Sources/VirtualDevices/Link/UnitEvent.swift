import Bluetooth
import Support

/// What reaches a virtual unit's loop from outside.
enum UnitEvent: Sendable {
    case connect(requestedMTU: Int, reply: Inbox<Result<VirtualLink, LinkError>>)
    case linkActivity
    case discoveryStarted
    case hand(HandEvent)
}

/// What a person does to a unit.
public enum HandEvent: Sendable {
    /// The Monocle's touch pads.
    public enum Pad: String, Sendable, CaseIterable {
        case A, B

        /// Its place in what the touch chip tells.
        var bit: UInt8 { self == .A ? 1 : 2 }
    }

    /// A finger comes and leaves again after a tenth of a second.
    case tap(Pad)
    case press(Pad)
    case release(Pad)
    case cut(FaultPlan.Cut)
}
