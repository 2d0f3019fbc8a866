import Foundation
import Support
import Synchronization
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

    /// What happened in which order, of twenty tasks that sleep to the same times.
    private func order(seed: UInt64?) async throws -> [Int] {
        let time = VirtualTime.simulated(seed: seed)
        let inbox = Inbox<Int>()
        return try await time.run {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<20 {
                    group.addTask {
                        for round in 1...5 {
                            try await time.clock.sleep(until: .init(offset: .seconds(round)))
                            inbox.deliver(number)
                        }
                    }
                }
                try await group.waitForAll()
            }
            return (0..<100).compactMap { _ in inbox.poll() }
        }
    }

    @Test func aSeedChoosesAmongWhatIsDueAtOnce() async throws {
        let first = try await order(seed: 1)
        #expect(try await order(seed: 1) == first)
        #expect(try await order(seed: 2) != first)
        #expect(Array(first.prefix(20)).sorted() == Array(0..<20))
        #expect(try await order(seed: nil) == (0..<5).flatMap { _ in 0..<20 })
    }

    /// In which order eight tasks go on that stop time until a thread wakes them, in one order or the other.
    private func order(seed: UInt64?, wakingLastFirst: Bool) async throws -> [Int] {
        let time = VirtualTime.simulated(seed: seed)
        let order = Inbox<Int>()
        let crowd = Crowd()
        return try await time.run {
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        await time.clock.paused {
                            await withCheckedContinuation { crowd.join($0, of: 8, wakingLastFirst) }
                        }
                        order.deliver(number)
                    }
                }
            }
            return (0..<8).compactMap { _ in order.poll() }
        }
    }

    @Test(arguments: [nil, 3] as [UInt64?]) func itDoesNotMatterWhichThreadIsFaster(seed: UInt64?) async throws {
        let order = try await order(seed: seed, wakingLastFirst: true)
        #expect(order.sorted() == Array(0..<8))
        #expect(try await self.order(seed: seed, wakingLastFirst: false) == order)
    }

    /// In which order tasks go on of which half waits for a thread.
    /// - Parameter isEarly: the thread is done before its task waits.
    private func order(seed: UInt64?, isEarly: Bool) async throws -> [Int] {
        let time = VirtualTime.simulated(seed: seed)
        let order = Inbox<Int>()
        return try await time.run {
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        if number.isMultiple(of: 2) { await time.clock.paused { await answer(isEarly: isEarly) } }
                        for _ in 0..<3 {
                            order.deliver(number)
                            await Task.yield()
                        }
                    }
                }
            }
            #expect(time.strayCount == 0)
            return (0..<24).compactMap { _ in order.poll() }
        }
    }

    @Test(arguments: [nil, 3] as [UInt64?]) func itDoesNotMatterWhetherAThreadIsFasterThanItsTask(seed: UInt64?) async throws {
        let order = try await order(seed: seed, isEarly: false)
        #expect(order.count == 24)
        #expect(try await self.order(seed: seed, isEarly: true) == order)
    }

    @Test(arguments: [nil, 3] as [UInt64?]) func aThreadForWhichTimeDoesNotStandStillIsNoticed(seed: UInt64?) async throws {
        let time = VirtualTime.simulated(seed: seed)
        try await time.run { await answer(isEarly: false) }
        #expect(time.strayCount == 1)
    }
}

private func answer(isEarly: Bool) async {
    await withCheckedContinuation { continuation in
        guard !isEarly else { return continuation.resume() }
        Thread.detachNewThread {
            Thread.sleep(forTimeInterval: 0.02)
            continuation.resume()
        }
    }
}

/// Waiting tasks, which a thread wakes when all are there.
private final class Crowd: Sendable {
    private let waiting = Mutex<[CheckedContinuation<Void, Never>]>([])

    func join(_ task: CheckedContinuation<Void, Never>, of count: Int, _ wakesLastFirst: Bool) {
        let all = waiting.withLock { waiting in
            waiting.append(task)
            return waiting.count == count ? waiting : []
        }
        if !all.isEmpty { Thread.detachNewThread { for task in wakesLastFirst ? all.reversed() : all { task.resume() } } }
    }
}
