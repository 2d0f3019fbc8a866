/// Whether asking again can help.
public enum Persistence: Sendable, Hashable {
    /// Something was lost or late: the same may work the next time, over a new link at the latest.
    case transient
    /// The other side has to be brought to order first: a full heap, a program in the way, garbage.
    case degraded
    /// Asking again changes nothing.
    case permanent
}
