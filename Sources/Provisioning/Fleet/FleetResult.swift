import Bluetooth
import Support

/// What became of one unit that was asked for.
public struct FleetOutcome<Report: Sendable>: Sendable {
    public var target: FleetTarget
    /// `nil` for one that was not heard.
    public var unit: DiscoveredUnit?
    /// The name of the adapter that it was worked on with.
    public var adapter: String?
    public var ending: FleetEnding
    /// `nil` when the work threw, did not end, or was not begun.
    public var report: Report?
    /// Of the work.
    public var elapsed: Duration
}

/// What became of a fleet.
public struct FleetResult<Report: Sendable>: Sendable {
    /// One for each unit, in the order in which they were asked for.
    public var outcomes: [FleetOutcome<Report>]
    /// Why no more units were started; `nil` where all had their turn.
    public var stop: RolloutStop?
    /// The seed of the order.
    public var seed: UInt64
}
