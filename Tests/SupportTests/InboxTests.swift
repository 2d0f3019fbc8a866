import Synchronization
import Testing

@testable import Support

private struct Ended: Error, Equatable {}

/// A clock that a test moves by hand: it stands still, and a sleep ends when it is already due or cancelled.
private final class StoppedClock: Sendable {
    private let offset = Mutex(Duration.zero)

    var clock: SessionClock {
        SessionClock(now: { self.offset.withLock { $0 } }, sleepUntil: { deadline in
            while self.offset.withLock({ $0 }) < deadline {
                try Task.checkCancellation()
                await Task.yield()
            }
        })
    }

    func advance(by duration: Duration) { offset.withLock { $0 += duration } }
}

struct InboxTests {
    @Test func elementsComeInOrder() async throws {
        let inbox = Inbox<Int>()
        for number in 0..<1000 { inbox.deliver(number) }
        let clock = StoppedClock().clock
        for number in 0..<1000 {
            #expect(try await inbox.next(before: clock.deadline(in: .seconds(1)), on: clock) == number)
        }
    }

    @Test func timeoutLosesNothing() async throws {
        let inbox = Inbox<Int>()
        let time = StoppedClock()
        let clock = time.clock
        #expect(try await inbox.next(before: clock.now, on: clock) == nil)
        let deadline = clock.deadline(in: .seconds(1))
        async let late = inbox.next(before: deadline, on: clock)
        time.advance(by: .seconds(2))
        #expect(try await late == nil)
        inbox.deliver(5)
        #expect(inbox.poll() == 5)
    }

    @Test func aWaiterIsWokenByADelivery() async throws {
        let inbox = Inbox<Int>()
        let clock = StoppedClock().clock
        async let value = inbox.next(before: clock.deadline(in: .seconds(1)), on: clock)
        await Task.yield()
        inbox.deliver(3)
        #expect(try await value == 3)
    }

    @Test func finishingLetsTheRestOutFirst() async throws {
        let inbox = Inbox<Int>()
        inbox.deliver(1)
        inbox.finish(throwing: Ended())
        inbox.deliver(2)
        let clock = StoppedClock().clock
        #expect(try await inbox.next(before: clock.deadline(in: .seconds(1)), on: clock) == 1)
        await #expect(throws: Ended()) {
            try await inbox.next(before: clock.deadline(in: .seconds(1)), on: clock)
        }
    }

    @Test func aFullInboxEndsWithOverrun() async throws {
        let inbox = Inbox<Int>(capacity: 2)
        for number in 0..<3 { inbox.deliver(number) }
        #expect(inbox.poll() == 0)
        #expect(inbox.poll() == 1)
        let clock = StoppedClock().clock
        await #expect(throws: InboxOverrun()) { try await inbox.next(before: clock.deadline(in: .seconds(1)), on: clock) }
    }

    @Test func cancellingAWaitLeavesTheInboxUsable() async throws {
        let inbox = Inbox<Int>()
        let clock = StoppedClock().clock
        await withThrowingTaskGroup(of: Int?.self) { group in
            group.addTask { try await inbox.next(before: clock.deadline(in: .seconds(1)), on: clock) }
            await Task.yield()
            group.cancelAll()
            await #expect(throws: CancellationError.self) { try await group.next() }
        }
        inbox.deliver(9)
        #expect(inbox.poll() == 9)
    }

    @Test func deadlineCancelsAndAwaitsTheOperation() async throws {
        struct Late: Error {}
        let time = StoppedClock()
        let clock = time.clock
        let wasCancelled = Mutex(false)
        time.advance(by: .seconds(5))
        await #expect(throws: Late.self) {
            try await withDeadline(clock.now, on: clock, timeout: Late()) {
                while !Task.isCancelled { await Task.yield() }
                wasCancelled.withLock { $0 = true }
                try Task.checkCancellation()
            }
        }
        #expect(wasCancelled.withLock { $0 })
    }
}
