/// How a fleet is worked on.
public struct FleetPolicy: Sendable {
    /// Two transfers on an adapter cost each other nothing; three and four share the air.
    public static let usualJobs = 2
    public static let mostJobs = 4
    /// A fleet of so many units begins with one of them.
    public static let canaryFleet = 5

    /// Units at once on each adapter, 1…4.
    public var jobsPerAdapter = usualJobs
    /// Units that are proved, one after the other, before several are started; `nil` is 1 for a fleet of five or more, else 0.
    public var canary: Int?
    public var limits = RolloutGuard.Limits()
    /// Of the order of the units.
    public var seed: UInt64 = 0
    /// How long a unit is listened for until it is called not reached.
    public var wait = Duration.seconds(15)
    /// How long one unit may take.
    public var unitTimeout = Duration.seconds(3600)
    /// How long a cancelled unit may take to be left in order.
    public var drainTimeout = Duration.seconds(60)

    public init() {}

    func canary(of count: Int) -> Int { canary ?? (count >= Self.canaryFleet ? 1 : 0) }
}
