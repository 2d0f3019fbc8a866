/// Faults of the air and of the power, drawn from a seed so that a run can be repeated.
public struct FaultPlan: Sendable {
    public enum Cut: Sendable, Hashable {
        /// The link breaks; both sides notice after the supervision timeout.
        case link
        /// The unit loses power and comes back two seconds later.
        case power
    }

    /// What happens when so many packets have been delivered to the unit, counted over its whole run.
    public var cuts: [Int: Cut] = [:]
    /// Probability 0…1 that a write without response or a notification is lost, has a bit flipped, or is late.
    public var loss = 0.0
    public var corruption = 0.0
    public var delay = 0.0
    public var seed: UInt64 = 1
    /// Numbers of packets on the data characteristic, from 1, whose interrupt meets an allocation: the unit hears nothing more
    /// until its power is cut.
    public var deafAtDataPackets: Set<Int> = []
    /// Numbers of packets on the data characteristic, from 1, that the unit acknowledges and its program never gets: the
    /// scheduler drops what does not fit it.
    public var droppedDataPackets: Set<Int> = []
    /// Numbers of packets on the data characteristic, from 1, whose callback crashes the unit.
    public var crashesAtDataPackets: Set<Int> = []
    /// Numbers of break signals, from 1, that the unit does not notice.
    public var swallowedBreaks: Set<Int> = []
    /// Numbers of notifications on the data characteristic, from 1, that the host never gets.
    public var lostDataNotifications: Set<Int> = []

    /// Words of the unit's flash, counted from 1 over its whole run, at which its power is cut: the one with this number is not written
    /// any more.
    public var flashCuts: Set<Int> = []
    /// Packets to the unit that are lost if they are writes without response, counted as for ``cuts``.
    public var lostPackets: Set<Int> = []
    /// Notifications that are lost, counted from 1 over the unit's whole run.
    public var lostNotifications: Set<Int> = []

    public init() {}
}

/// SplitMix64: a small generator whose sequence is the same everywhere.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    public init(seed: UInt64) { state = seed }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
