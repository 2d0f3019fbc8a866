import Bluetooth
import Foundation
import Support

/// Simulated time: a single-threaded executor that advances its clock to the next sleeper when nothing is left to run.
///
/// A session with minutes of waiting takes milliseconds, and every run is identical. A given speed limits how fast it runs
/// relative to real time: a late host makes it lose time, not packets.
///
/// With a seed, chance chooses among the jobs that are ready and among the sleepers that are due, the same for the same seed: no program
/// may rely on an order.
public final class Simulation: TaskExecutor, @unchecked Sendable {
    private struct Sleeper {
        let id: UInt64
        let continuation: CheckedContinuation<Void, any Error>
    }

    // Every stored property below is read and written only with `condition` locked.
    private let condition = NSCondition()
    private var jobs: [UnownedJob] = []
    private var nextJob = 0
    private var elapsed: Duration = .zero
    private var sleepers = TimerQueue<Sleeper>()
    private var sleeperCount: UInt64 = 0
    private let speed: Double?
    private var anchor: (real: ContinuousClock.Instant, simulated: Duration)
    /// How far behind real time it still catches up.
    private static let hurry = Duration.milliseconds(20)
    private var isStopped = false
    private var holds = 0
    /// `nil`: first in, first out.
    private var order: SeededGenerator?
    /// Jobs from other threads, which come in real time: with a seed, they are taken when nothing else is left.
    private var arrivals: [UnownedJob] = []
    private var thread: pthread_t?
    /// In real time; no wait of this machine takes as long.
    private static let arrivalPatience: TimeInterval = 2

    /// - Parameters:
    ///   - speed: `nil` runs as fast as possible.
    ///   - seed: of the order of jobs; `nil` is first in, first out.
    public init(speed: Double? = nil, seed: UInt64? = nil) {
        self.speed = speed
        order = seed.map { SeededGenerator(seed: $0) }
        anchor = (.now, .zero)
        let thread = Thread { [weak self] in
            while let work = self?.nextUnit() { work() }
        }
        thread.name = "simulation"
        thread.stackSize = 8 << 20
        thread.start()
    }

    /// Ends the executor's thread. Nothing may run on it any more.
    public func stop() { change { isStopped = true } }

    /// Stops time until every hold is released.
    func hold(_ isHeld: Bool) { change { holds += isHeld ? 1 : -1 } }

    public func enqueue(_ job: consuming ExecutorJob) {
        let unowned = UnownedJob(job)
        let caller = pthread_self()
        change { if order != nil, caller != thread { arrivals.append(unowned) } else { jobs.append(unowned) } }
    }

    private func change(_ body: () -> Void) {
        condition.withLock {
            body()
            condition.signal()
        }
    }

    var now: Duration { condition.withLock { elapsed } }
    var sleepingCount: Int { condition.withLock { sleepers.count } }

    func sleep(until wake: Duration) async throws {
        let id = condition.withLock {
            sleeperCount += 1
            return sleeperCount
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                add(Sleeper(id: id, continuation: continuation), until: wake)
            }
        } onCancel: {
            cancel(id, waking: wake)
        }
    }

    private func add(_ sleeper: Sleeper, until wake: Duration) {
        let isCancelled = Task.isCancelled
        let isDue = condition.withLock { () -> Bool in
            if isCancelled || wake <= elapsed { return true }
            sleepers.add(sleeper, at: wake)
            return false
        }
        if isCancelled {
            sleeper.continuation.resume(throwing: CancellationError())
        } else if isDue {
            sleeper.continuation.resume()
        } else if Task.isCancelled {
            // Cancelled between the first check and the insertion, when there was nothing to remove.
            cancel(sleeper.id, waking: wake)
        }
    }

    private func cancel(_ id: UInt64, waking wake: Duration) {
        let sleeper = condition.withLock { sleepers.remove(at: wake) { $0.id == id } }
        sleeper?.continuation.resume(throwing: CancellationError())
    }

    /// The thread's next step: run a job, or wake the earliest sleeper.
    private func nextUnit() -> (() -> Void)? {
        condition.lock()
        defer { condition.unlock() }
        thread = pthread_self()
        while true {
            if let job = takeJob() {
                return { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
            }
            if admitArrivals() { continue }
            if isStopped { return nil }
            if pause() { continue }
            guard let wake = sleepers.nextDeadline, let earliest = takeSleeper() else { continue }
            elapsed = max(elapsed, wake)
            return { earliest.continuation.resume() }
        }
    }

    /// Waits for a job, or for the earliest sleeper's time at this speed.
    /// - Returns: `false` when the earliest sleeper is due.
    private func pause() -> Bool {
        guard holds <= 0 else {
            condition.wait()
            return true
        }
        guard let speed else {
            guard sleepers.nextDeadline == nil else { return false }
            condition.wait()
            return true
        }
        let wake = sleepers.nextDeadline
        let left = wake.map { anchor.real + ($0 - anchor.simulated) / speed - .now }
        if let left, left <= .zero {
            if left < .zero - Self.hurry { anchor.real += .zero - Self.hurry - left }
            return false
        }
        if let left { _ = condition.wait(until: Date(timeIntervalSinceNow: left / .seconds(1))) } else { condition.wait() }
        // Time passes even while nothing happens.
        let passed = anchor.simulated + (ContinuousClock.now - anchor.real) * speed
        elapsed = max(elapsed, min(passed, sleepers.nextDeadline ?? passed))
        return true
    }

    private func takeSleeper() -> Sleeper? {
        guard order == nil else { return order.modify { sleepers.takeNext(using: &$0) } }
        return sleepers.nextDeadline.flatMap { sleepers.takeDue(at: $0) }
    }

    /// With a seed: what has come from other threads, once each of those that stop time has come, in an order that is not theirs.
    private func admitArrivals() -> Bool {
        guard !arrivals.isEmpty else { return false }
        let end = Date(timeIntervalSinceNow: Self.arrivalPatience)
        // One that waits for another thread's wait, which is not counted, must not wait for ever.
        while arrivals.count < holds, condition.wait(until: end) {}
        jobs += arrivals.count == 1 ? arrivals : arrivals.map { ("\($0)", $0) }.sorted {
            ($0.0.count, $0.0) < ($1.0.count, $1.0)
        }.map(\.1)
        arrivals = []
        return true
    }

    private func takeJob() -> UnownedJob? {
        guard nextJob < jobs.count else { return nil }
        if order != nil {
            let chosen = order.modify { Int.random(in: nextJob..<jobs.count, using: &$0) }
            jobs.swapAt(nextJob, chosen ?? nextJob)
        }
        let job = jobs[nextJob]
        nextJob += 1
        if nextJob == jobs.count {
            jobs.removeAll(keepingCapacity: true)
            nextJob = 0
        }
        return job
    }
}

extension Optional {
    fileprivate mutating func modify<Value>(_ body: (inout Wrapped) -> Value?) -> Value? {
        guard var wrapped = self else { return nil }
        defer { self = wrapped }
        return body(&wrapped)
    }
}
