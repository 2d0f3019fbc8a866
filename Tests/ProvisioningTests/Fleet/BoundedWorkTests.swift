import Support
import Testing
import VirtualDevices

@testable import Provisioning

/// One unit's work is waited for as long as it was given, and never longer than its grace after a cancellation.
@Suite struct BoundedWorkTests {
    private let time = VirtualTime.simulated()

    /// - Parameter cancelledAt: by the caller, in seconds.
    /// - Returns: what the work came to, and the seconds until it was said.
    private func run(
        timeout: Int = 3600, cancelledAt: [Int] = [], _ body: @escaping @Sendable (SessionClock) async throws -> Int
    ) async throws -> (result: Result<Int, any Error>, seconds: Int) {
        let clock = time.clock
        return try await time.run {
            let work = BoundedWork<Int>(clock: clock, timeout: .seconds(timeout), grace: .seconds(60))
            let run = clock.task { await work.run { try await body(clock) } }
            for second in cancelledAt {
                try await clock.sleep(until: .init(offset: .seconds(second)))
                run.cancel()
            }
            return (try await run.value, Int(clock.now.offset / .seconds(1)))
        }
    }

    private static let deaf: @Sendable (SessionClock) async throws -> Int = { _ in
        await withCheckedContinuation { (_: CheckedContinuation<Void, Never>) in }
        return 1
    }
    private static let obedient: @Sendable (SessionClock) async throws -> Int = { clock in
        try await clock.sleep(until: clock.deadline(in: .forever))
        return 1
    }

    @Test func whatEndsInTimeIsTheResult() async throws {
        let (result, seconds) = try await run { clock in
            try await clock.sleep(until: clock.deadline(in: .seconds(3599)))
            return 7
        }
        #expect(try result.get() == 7 && seconds == 3599)
    }

    @Test func aCallersCancellationIsWaitedForAsLongAsTheGrace() async throws {
        let (result, seconds) = try await run(cancelledAt: [10], Self.deaf)
        #expect(throws: CancellationError.self) { try result.get() }
        #expect(seconds == 70)
    }

    @Test func whatObeysEndsAtOnce() async throws {
        let (result, seconds) = try await run(cancelledAt: [10], Self.obedient)
        #expect(throws: CancellationError.self) { try result.get() }
        #expect(seconds == 10)
        let (late, end) = try await BoundedWorkTests().run(timeout: 100, Self.obedient)
        #expect(throws: FleetError.hung(after: .seconds(100))) { try late.get() }
        #expect(end == 100)
    }

    /// A cancellation of what is late already is no reason to wait again.
    @Test func theGraceIsGivenOnce() async throws {
        let (result, seconds) = try await run(timeout: 100, cancelledAt: [150], Self.deaf)
        #expect(throws: FleetError.hung(after: .seconds(100))) { try result.get() }
        #expect(seconds == 160)
    }
}
