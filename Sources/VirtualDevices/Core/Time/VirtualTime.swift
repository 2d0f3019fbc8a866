import Support

/// The time of a virtual world. It never passes while there is work to do, so a busy host makes a world slow but never wrong.
public struct VirtualTime: Sendable {
    public let clock: SessionClock
    private let simulation: Simulation?

    /// - Parameter speed: the most virtual seconds in a real second, above 0.
    public static func real(speed: Double = 1) -> VirtualTime { VirtualTime(Simulation(speed: speed)) }

    /// - Parameter seed: chooses what happens first of what may happen at once; `nil` keeps the order in which it was asked for.
    public static func simulated(seed: UInt64? = nil) -> VirtualTime { VirtualTime(Simulation(seed: seed)) }

    private init(_ simulation: Simulation) {
        self.simulation = simulation
        var clock = SessionClock(
            now: { simulation.now }, sleepUntil: { try await simulation.sleep(until: $0) }, executor: simulation,
            hold: { simulation.hold($0) })
        if simulation.isOrdered { clock.takePlace = { simulation.takePlace() } }
        self.clock = clock
    }

    init(clock: SessionClock) { (self.clock, simulation) = (clock, nil) }

    /// Sleeps that have not ended.
    package var sleepingCount: Int { simulation?.sleepingCount ?? 0 }

    /// Without a speed: how often a task went on because of another thread although nobody had stopped time for it.
    package var strayCount: Int { simulation?.strayCount ?? 0 }

    /// Runs `body`, once. Everything that waits on ``clock`` must run inside.
    public func run<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
        guard let simulation else { return try await body() }
        defer { simulation.stop() }
        return try await withTaskExecutorPreference(simulation) { try await body() }
    }
}

extension Duration {
    /// Exact, unlike a quotient of durations, which is a `Double`: 4 minutes are already too many attoseconds for one, and what is
    /// rounded down to a time that was due stays due for ever.
    var wholeMicroseconds: Int64 { components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000 }
}
