import Bluetooth
import Support

/// What happens during a fleet's run. What happens to one unit comes from its own job.
public struct FleetEvent: Sendable {
    public enum Content: Sendable, Hashable {
        /// The number of units, and the seed of their order.
        case planned(units: Int, seed: UInt64)
        case waits(FleetWait)
        case started(DiscoveredUnit, adapter: String)
        case ended(FleetEnding)
        /// An adapter took no further link: it is given no more than these from now on.
        case ceilingLowered(adapter: String, links: Int)
        /// An adapter failed too many units and gets no more; the argument is what failed the last one.
        case adapterRetired(adapter: String, Diagnosis)
        /// No more units are started; those that run are finished.
        case stopped(RolloutStop)
        /// Somebody asked for an orderly end: no more units are started, those that run are finished.
        case draining
    }

    /// The place of the unit in the list that was asked for; `nil` for what concerns no unit.
    public var index: Int?
    /// On the clock of the fleet.
    public var time: SessionClock.Instant
    public var content: Content

    public init(index: Int?, time: SessionClock.Instant, content: Content) {
        self.index = index
        self.time = time
        self.content = content
    }
}

/// What a unit waits for.
public enum FleetWait: Sendable, Hashable {
    /// To be heard by an adapter.
    case sight
    /// A free place on an adapter.
    case place
    /// Another unit to be proved first.
    case canary
}

/// What became of a unit.
public enum FleetEnding: Sendable, Hashable {
    case proved
    /// Nothing had to be done: neither a success nor a failure.
    case alreadyCurrent
    case failed(Diagnosis)
    /// Nothing was done: the run's files are not for it.
    case notExpected(Diagnosis)
    /// Nothing was done: another station or another process works on it.
    case inUse(Diagnosis)
    /// No adapter heard it in time.
    case notReached(Diagnosis)
    case notStarted(Diagnosis)
}
