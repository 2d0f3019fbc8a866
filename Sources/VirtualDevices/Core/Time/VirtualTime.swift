import Bluetooth
import Foundation
import Support

/// The time of a virtual world: simulated, at a pace or as fast as it goes.
///
/// Whatever the pace, time never passes while anything in the world has work to do, so a busy host makes a world slow and never
/// wrong.
public struct VirtualTime: Sendable {
    public let clock: SessionClock
    private let simulation: Simulation?

    /// - Parameter speed: seconds of virtual time in a real second at most, above 0; 1 is real time.
    public static func real(speed: Double = 1) -> VirtualTime { VirtualTime(Simulation(speed: speed)) }

    /// As fast as possible.
    public static func simulated() -> VirtualTime { VirtualTime(Simulation()) }

    private init(_ simulation: Simulation) {
        self.simulation = simulation
        clock = SessionClock(
            now: { simulation.now }, sleepUntil: { try await simulation.sleep(until: $0) }, executor: simulation,
            hold: { simulation.hold($0) })
    }

    /// Passes as whoever gives the clock lets it.
    init(clock: SessionClock) { (self.clock, simulation) = (clock, nil) }

    /// Runs `body` in this time, once. Everything that waits on ``clock`` has to run inside.
    public func run<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
        guard let simulation else { return try await body() }
        defer { simulation.stop() }
        return try await withTaskExecutorPreference(simulation) { try await body() }
    }
}
