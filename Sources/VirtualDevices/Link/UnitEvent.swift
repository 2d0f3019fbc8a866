import Bluetooth

/// What reaches a virtual unit's loop from outside.
enum UnitEvent: Sendable {
    case connect(requestedMTU: Int, reply: Inbox<Result<VirtualLink, LinkError>>)
    case linkActivity
    case discoveryStarted
    /// The generation tells a restarted interpreter's events from its predecessor's.
    case interpreter(InterpreterEvent, generation: Int)
    case hand(HandEvent)
}

/// What a person does to a unit.
public enum HandEvent: Sendable {
    /// The Monocle's touch pads.
    public enum Pad: String, Sendable, CaseIterable { case A, B }

    /// A finger comes and leaves again after a tenth of a second.
    case tap(Pad)
    case press(Pad)
    case release(Pad)
    case cut(FaultPlan.Cut)
}
