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
    case tap(pad: String)
    case cut(FaultPlan.Cut)
}
