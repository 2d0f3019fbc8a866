import Bluetooth
import Foundation
import Support

/// Simulated time: a single-threaded executor that advances its clock to the next sleeper when nothing is left to run.
///
/// A session with minutes of waiting takes milliseconds, and every run is identical. A given speed limits how fast it runs
/// relative to real time: a late host makes it lose time, not packets.
///
/// With a seed, chance chooses among the jobs that are ready and among the sleepers that are due, the same for the same seed: no program
/// may rely on an order. What waits for another thread stops time (``SessionClock/paused(_:)``), and without a speed goes on once nothing
/// is left to do and all that have stopped time are back: whichever thread is faster, everything happens in the same order. Unchecked,
/// because every variable is read and written only with `condition` held.
public final class Simulation: TaskExecutor, @unchecked Sendable {
    private struct Sleeper {
        let id: UInt64
        let continuation: CheckedContinuation<Void, any Error>
    }

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
    /// Those that have stopped time.
    private var holds = 0
    /// `nil`: first in, first out.
    private var order: SeededGenerator?
    /// Nothing depends on which thread is faster.
    let isOrdered: Bool
    // If it is: jobs from other threads, which come in real time; those of them that may run; those that have stopped time and wait for the
    // others.
    private var arrivals: [UnownedJob] = []
    private var admitted: [UnownedJob] = []
    private var returned: [(place: UInt64, continuation: CheckedContinuation<Void, Never>)] = []
    private var placeCount: UInt64 = 0
    private var strays = 0
    private var hasBegun = false
    private var thread: pthread_t?
    /// In real time; no wait of this machine takes as long.
    private static let patience: TimeInterval = 20

    /// - Parameters:
    ///   - speed: `nil` runs as fast as possible.
    ///   - seed: of the order of jobs; `nil` is first in, first out.
    public init(speed: Double? = nil, seed: UInt64? = nil) {
        self.speed = speed
        order = seed.map { SeededGenerator(seed: $0) }
        isOrdered = speed == nil
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

    /// For one who stops time: the order of the calls is that in which they go on.
    func takePlace() -> @Sendable () async -> Void {
        let place = condition.withLock {
            placeCount += 1
            return placeCount
        }
        return { [self] in
            await withCheckedContinuation { continuation in
                let isOver = condition.withLock {
                    if !isStopped { returned.append((place, continuation)) }
                    condition.signal()
                    return isStopped
                }
                if isOver { continuation.resume() }
            }
        }
    }

    public func enqueue(_ job: consuming ExecutorJob) {
        let unowned = UnownedJob(job)
        let caller = pthread_self()
        change {
            guard isOrdered, caller != thread else { return jobs.append(unowned) }
            arrivals.append(unowned)
            if hasBegun, arrivals.count + returned.count > holds { strays += 1 }
        }
    }

    private func change(_ body: () -> Void) {
        condition.withLock {
            body()
            condition.signal()
        }
    }

    var now: Duration { condition.withLock { elapsed } }
    var sleepingCount: Int { condition.withLock { sleepers.count } }
    var strayCount: Int { condition.withLock { strays } }

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
                hasBegun = true
                return { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
            }
            if let work = takeBack() { return work }
            if isStopped { return nil }
            if waits() { continue }
            guard let wake = sleepers.nextDeadline, let earliest = takeSleeper() else { continue }
            elapsed = max(elapsed, wake)
            return { earliest.continuation.resume() }
        }
    }

    /// Waits for a job, or for the earliest sleeper's time at this speed.
    /// - Returns: `false` when the earliest sleeper is due.
    private func waits() -> Bool {
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

    /// Goes on with those that waited for other threads, once each that has stopped time is back, in an order that is not the threads'.
    private func takeBack() -> (() -> Void)? {
        guard !arrivals.isEmpty || !returned.isEmpty else { return nil }
        let end = Date(timeIntervalSinceNow: Self.patience)
        while arrivals.count + returned.count < holds, !isStopped {
            guard condition.wait(until: end) else {
                // It waits for one that is back already.
                strays += 1
                break
            }
        }
        guard arrivals.isEmpty else {
            admitted = arrivals.map { ("\($0)", $0) }.sorted { ($0.0.count, $0.0) < ($1.0.count, $1.0) }.map(\.1)
            arrivals = []
            return {}
        }
        let back = returned.sorted { $0.place < $1.place }.map(\.continuation)
        returned = []
        return { for continuation in back { continuation.resume() } }
    }

    private func takeJob() -> UnownedJob? {
        if !admitted.isEmpty { return admitted.removeFirst() }
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
