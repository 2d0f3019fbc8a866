public struct FleetPolicy: Sendable {
    /// Two transfers on an adapter cost each other nothing; three and four share the air.
    public static let usualJobs = 2
    public static let mostJobs = 4
    /// Fleets of at least this many units begin with one of them.
    public static let canaryFleet = 5

    /// Simultaneous units on each adapter, 1…4.
    public var jobsPerAdapter = usualJobs
    /// Units that must pass one at a time before several are started; `nil` is 1 for a fleet of five or more, else 0.
    public var canary: Int?
    public var limits = RolloutGuard.Limits()
    /// For the order of the units.
    public var seed: UInt64 = 0
    /// How long to listen for a unit before it counts as not reached.
    public var wait = Duration.seconds(15)
    public var unitTimeout = Duration.seconds(3600)
    /// The time for a cancelled unit to be left in order.
    public var drainTimeout = Duration.seconds(60)

    public init() {}

    func canary(of count: Int) -> Int { canary ?? (count >= Self.canaryFleet ? 1 : 0) }
}
