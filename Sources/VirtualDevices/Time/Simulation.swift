import Foundation
import Synchronization

/// Simulated time: a single-threaded executor that moves its clock to the next sleeper when nothing is left to run.
///
/// A session with minutes of waiting takes milliseconds, and without outside processes every run is the same.
/// Outside processes (a unit's interpreter) hold the clock while they compute, and are charged for the processor time
/// they use, so that a busy loop cannot stop the world and a busy machine cannot make a unit look slow.
public final class Simulation: TaskExecutor, @unchecked Sendable {
    // Every stored property below is read and written only with `condition` locked.
    private let condition = NSCondition()
    private var jobs: [UnownedJob] = []
    private var nextJob = 0
    private var elapsed: Duration = .zero
    private var sleepers: [Sleeper] = []
    private var sleeperCount: UInt64 = 0
    private var holds = 0
    /// Processor time used under the present hold, by which the clock may still move.
    private var allowance: Duration = .zero
    /// An outside process that neither computes nor answers for so long in real time is stuck.
    private static let stuckAfter: TimeInterval = 60
    private var isStopped = false

    private struct Sleeper {
        let id: UInt64
        let wake: Duration
        let continuation: CheckedContinuation<Void, any Error>
    }

    public init() {
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

    public func enqueue(_ job: consuming ExecutorJob) {
        let unowned = UnownedJob(job)
        condition.withLock {
            jobs.append(unowned)
            condition.signal()
        }
    }

    var now: Duration { condition.withLock { elapsed } }

    func hold() { condition.withLock { holds += 1 } }

    func release() {
        condition.withLock {
            holds -= 1
            allowance = .zero
            condition.signal()
        }
    }

    func charge(_ processorTime: Duration) {
        condition.withLock {
            allowance += processorTime
            condition.signal()
        }
    }

    func sleep(until wake: Duration) async throws {
        let id = condition.withLock { () -> UInt64 in
            sleeperCount += 1
            return sleeperCount
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                add(Sleeper(id: id, wake: wake, continuation: continuation))
            }
        } onCancel: {
            remove(id)?.continuation.resume(throwing: CancellationError())
        }
    }

    private func add(_ sleeper: Sleeper) {
        let isCancelled = Task.isCancelled
        let isDue = condition.withLock { () -> Bool in
            if isCancelled || sleeper.wake <= elapsed { return true }
            let index = sleepers.firstIndex { sleeper.wake < $0.wake } ?? sleepers.endIndex
            sleepers.insert(sleeper, at: index)
            return false
        }
        guard isDue else {
            // A cancellation between the test above and the insertion found nothing to remove.
            if Task.isCancelled { remove(sleeper.id)?.continuation.resume(throwing: CancellationError()) }
            return
        }
        if isCancelled {
            sleeper.continuation.resume(throwing: CancellationError())
        } else {
            sleeper.continuation.resume()
        }
    }

    private func remove(_ id: UInt64) -> Sleeper? {
        condition.withLock {
            sleepers.firstIndex { $0.id == id }.map { sleepers.remove(at: $0) }
        }
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
            guard let earliest = sleepers.first else {
                condition.wait()
                continue
            }
            let step = earliest.wake - elapsed
            if holds > 0, step > allowance {
                let limit = Date(timeIntervalSinceNow: Self.stuckAfter)
                if condition.wait(until: limit) { continue }
                if nextJob < jobs.count || sleepers.first?.id != earliest.id { continue }
            }
            allowance = max(.zero, allowance - max(.zero, step))
            sleepers.removeFirst()
            elapsed = max(elapsed, earliest.wake)
            return { earliest.continuation.resume() }
        }
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
