import Bluetooth
import Support
import Testing
@testable import VirtualDevices

@Suite struct SimulationTests {
    /// What an idle conversation does day in, day out: waits with far deadlines that end long before.
    @Test(arguments: [nil, 10_000] as [Double?]) func waitsThatEndEarlyLeaveNoSleeper(speed: Double?) async throws {
        let simulation = Simulation(speed: speed)
        let clock = SessionClock(
            now: { simulation.now }, sleepUntil: { try await simulation.sleep(until: $0) }, executor: simulation)
        let inbox = Inbox<Int>()
        try await withTaskExecutorPreference(simulation) { () async throws in
            for number in 0..<500 {
                async let value = inbox.next(before: clock.deadline(in: .seconds(100_000_000)), on: clock)
                inbox.deliver(number)
                let taken = try await value
                #expect(taken == number)
            }
        }
        #expect(simulation.sleepingCount == 0)
        simulation.stop()
    }
}
