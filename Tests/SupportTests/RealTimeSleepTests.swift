import Synchronization
import Testing

@testable import Support

@Suite(.serialized) struct RealTimeSleepTests {
    private let clock = SessionClock.continuous

    /// A wait for something that comes long before its deadline, as each of an idle conversation is.
    @Test func waitsThatEndEarlyLeaveNoTimer() async throws {
        let before = RealTimeSleep.pendingCount.load(ordering: .relaxed)
        let inbox = Inbox<Int>()
        for number in 0..<500 {
            async let value = inbox.next(before: clock.deadline(in: .seconds(100_000_000)), on: clock)
            inbox.deliver(number)
            #expect(try await value == number)
        }
        #expect(RealTimeSleep.pendingCount.load(ordering: .relaxed) == before)
    }

    @Test func sleepsUntilItsTime() async throws {
        let start = ContinuousClock.now
        try await clock.sleep(until: clock.deadline(in: .milliseconds(30)))
        #expect(ContinuousClock.now - start >= .milliseconds(30))
        try await clock.sleep(until: clock.deadline(in: .seconds(-1)))
    }

    @Test func cancellationEndsIt() async {
        await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await clock.sleep(until: clock.deadline(in: .seconds(1e17))) }
            group.cancelAll()
            await #expect(throws: CancellationError.self) { try await group.next() }
        }
    }

    @Test func deadlinesBeyondAnyLifeTimeAreOnesLikeOthers() async throws {
        let passed = Mutex(false)
        try await withDeadline(SessionClock.Instant(offset: .seconds(Int64.max / 2)), on: clock, timeout: CancellationError()) {
            passed.withLock { $0 = true }
        }
        #expect(passed.withLock { $0 })
    }
}
