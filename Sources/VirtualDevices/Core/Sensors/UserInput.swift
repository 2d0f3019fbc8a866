/// What a person does to a unit.
public enum UserInput: Sendable, Hashable {
    /// A place that feels a finger. A unit with one place alone takes every pad for it.
    public enum Pad: String, Sendable, CaseIterable { case A, B }

    /// A finger comes and leaves again after a tenth of a second.
    case tap(Pad)
    case press(Pad)
    case release(Pad)
    /// The unit is laid into its cradle and charges there, or is taken out of it.
    case dock
    case undock
    /// What makes a unit forget its bond by hand: the button of its cradle, held while it starts.
    case unpair
    /// The unit is carried away, or its battery taken out.
    case cut(FaultPlan.Cut)
}
