import Foundation
import Synchronization

/// Simulated time: a single-threaded executor that moves its clock to the next sleeper when nothing is left to run.
///
/// A session with minutes of waiting takes milliseconds, and every run is the same. With a speed its clock never runs ahead of
/// real time by that factor: a host that is late makes it lose time, not packets.
public final class Simulation: TaskExecutor, @unchecked Sendable {
    // Every stored property below is read and written only with `condition` locked.
    private let condition = NSCondition()
    private var jobs: [UnownedJob] = []
    private var nextJob = 0
    private var elapsed: Duration = .zero
    private var sleepers = SleeperQueue()
    private var sleeperCount: UInt64 = 0
    private let speed: Double?
    /// A moment of real time and the one it stands for.
    private var anchor: (real: ContinuousClock.Instant, simulated: Duration)
    /// So far behind real time it hurries to catch up; what is more is lost.
    private static let hurry = Duration.milliseconds(20)
    private var isStopped = false
    /// Time stands still while there are any.
    private var holds = 0

    /// - Parameter speed: `nil` for as fast as it goes.
    public init(speed: Double? = nil) {
        self.speed = speed
        anchor = (.now, .zero)
        let thread = Thread { [weak self] in
            while let work = self?.nextUnit() { work() }
        }
        thread.name = "simulation"
        thread.stackSize = 8 << 20
        thread.start()
    }

    /// Ends the executor's thread. Nothing may run on it any more.
    public func stop() {
        condition.withLock {
            isStopped = true
            condition.signal()
        }
    }

    /// Makes time stand still, although nothing is left to run, until as many calls have taken it back.
    func hold(_ isHeld: Bool) {
        condition.withLock {
            holds += isHeld ? 1 : -1
            condition.signal()
        }
    }

    public func enqueue(_ job: consuming ExecutorJob) {
        let unowned = UnownedJob(job)
        condition.withLock {
            jobs.append(unowned)
            condition.signal()
        }
    }

    var now: Duration { condition.withLock { elapsed } }
    /// Tasks that sleep.
    var sleepingCount: Int { condition.withLock { sleepers.count } }

    func sleep(until wake: Duration) async throws {
        let id = condition.withLock { () -> UInt64 in
            sleeperCount += 1
            return sleeperCount
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                add(SleeperQueue.Sleeper(id: id, wake: wake, continuation: continuation))
            }
        } onCancel: {
            remove(id, waking: wake)?.continuation.resume(throwing: CancellationError())
        }
    }

    private func add(_ sleeper: SleeperQueue.Sleeper) {
        let isCancelled = Task.isCancelled
        let isDue = condition.withLock { () -> Bool in
            if isCancelled || sleeper.wake <= elapsed { return true }
            sleepers.insert(sleeper)
            return false
        }
        guard isDue else {
            // A cancellation between the test above and the insertion found nothing to remove.
            if Task.isCancelled { remove(sleeper.id, waking: sleeper.wake)?.continuation.resume(throwing: CancellationError()) }
            return
        }
        if isCancelled {
            sleeper.continuation.resume(throwing: CancellationError())
        } else {
            sleeper.continuation.resume()
        }
    }

    private func remove(_ id: UInt64, waking wake: Duration) -> SleeperQueue.Sleeper? {
        condition.withLock { sleepers.remove(id, waking: wake) }
    }

    /// What the executor's thread does next: a job, or waking the earliest sleeper; waits while there is neither.
    private func nextUnit() -> (() -> Void)? {
        condition.lock()
        defer { condition.unlock() }
        while true {
            if let job = takeJob() {
                return { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
            }
            if isStopped { return nil }
            if pause() { continue }
            let earliest = sleepers.removeFirst()
            elapsed = max(elapsed, earliest.wake)
            return { earliest.continuation.resume() }
        }
    }

    /// Waits where there is nothing to do yet: for a job, or for the earliest sleeper's time at this speed.
    /// - Returns: `false` when the earliest sleeper is due.
    private func pause() -> Bool {
        guard holds <= 0 else {
            condition.wait()
            return true
        }
        guard let speed else {
            guard sleepers.isEmpty else { return false }
            condition.wait()
            return true
        }
        let left = sleepers.first.map { anchor.real + ($0.wake - anchor.simulated) / speed - .now }
        if let left, left <= .zero {
            if left < .zero - Self.hurry { anchor.real += .zero - Self.hurry - left }
            return false
        }
        if let left { _ = condition.wait(until: Date(timeIntervalSinceNow: left / .seconds(1))) } else { condition.wait() }
        // Time has passed here, too, while nothing happened.
        let passed = anchor.simulated + (ContinuousClock.now - anchor.real) * speed
        elapsed = max(elapsed, min(passed, sleepers.first?.wake ?? passed))
        return true
    }

    private func takeJob() -> UnownedJob? {
        guard nextJob < jobs.count else { return nil }
        let job = jobs[nextJob]
        nextJob += 1
        if nextJob == jobs.count {
            jobs.removeAll(keepingCapacity: true)
            nextJob = 0
        }
        return job
    }
}
