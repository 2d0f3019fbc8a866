import Dispatch
import Synchronization

/// A sleep in real time that leaves nothing behind when cancelled. The timer of `Task.sleep` stays in memory until it fires,
/// and most deadlines here are far in the future. Unchecked, because only `phase` changes, and only with `lock` held.
final class RealTimeSleep: @unchecked Sendable {
    private enum Phase {
        case new
        case waiting(any DispatchSourceTimer, CheckedContinuation<Void, any Error>)
        case over
    }

    static let pendingCount = Atomic<Int>(0)

    private var phase = Phase.new
    private let lock = Mutex(())

    /// - Throws: `CancellationError`.
    static func until(_ deadline: ContinuousClock.Instant) async throws {
        let sleep = RealTimeSleep()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { sleep.begin($0, ContinuousClock.now.duration(to: deadline)) }
        } onCancel: {
            sleep.end(CancellationError())
        }
    }

    private func begin(_ continuation: CheckedContinuation<Void, any Error>, _ duration: Duration) {
        let timer = DispatchSource.makeTimerSource()
        timer.setEventHandler { self.end(nil) }
        timer.schedule(deadline: .now() + max(0, duration / .seconds(1)))
        let isCancelled = lock.withLock { _ in
            if case .over = phase { return true }
            phase = .waiting(timer, continuation)
            return false
        }
        // In every case: a source that was never active must not be released.
        timer.activate()
        guard isCancelled else { return _ = Self.pendingCount.add(1, ordering: .relaxed) }
        timer.cancel()
        continuation.resume(throwing: CancellationError())
    }

    private func end(_ error: (any Error)?) {
        // Unsafe in name alone: a phase is no Sendable value, and what is taken out under the lock is this call's only.
        nonisolated(unsafe) var last = Phase.over
        lock.withLock { _ in swap(&last, &phase) }
        guard case .waiting(let timer, let continuation) = last else { return }
        timer.cancel()
        Self.pendingCount.subtract(1, ordering: .relaxed)
        if let error { continuation.resume(throwing: error) } else { continuation.resume() }
    }
}
