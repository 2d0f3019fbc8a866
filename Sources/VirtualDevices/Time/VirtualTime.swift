import Bluetooth
import Foundation

/// The time of a virtual world: real time, real time at another speed, or simulated.
public struct VirtualTime: Sendable {
    public let clock: SessionClock
    private let simulation: Simulation?

    /// - Parameter speed: seconds of virtual time in a real second, above 0; 1 is real time.
    public static func real(speed: Double = 1) -> VirtualTime {
        let base = SessionClock.continuous
        guard speed != 1 else { return VirtualTime(clock: base, simulation: nil) }
        return VirtualTime(
            clock: SessionClock(
                now: { base.now.offset * speed },
                sleepUntil: { try await base.sleep(until: .init(offset: $0 / speed)) }),
            simulation: nil)
    }

    /// As fast as possible, on an executor of its own.
    public static func simulated() -> VirtualTime {
        let simulation = Simulation()
        return VirtualTime(
            clock: SessionClock(now: { simulation.now }, sleepUntil: { try await simulation.sleep(until: $0) }, executor: simulation),
            simulation: simulation)
    }

    /// Runs `body` in this time, once. In simulated time everything that waits on ``clock`` has to run inside.
    public func run<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
        guard let simulation else { return try await body() }
        defer { simulation.stop() }
        return try await withTaskExecutorPreference(simulation) { try await body() }
    }

    /// Keeps simulated time from passing while a process outside computes. Pairs with ``release()``.
    func hold() { simulation?.hold() }
    func release() { simulation?.release() }

    /// Lets simulated time pass for processor time that a held process has used.
    func charge(_ processorTime: Duration) { simulation?.charge(processorTime) }
}
