/// The clock on which every session waits: real, scaled or simulated.
public struct SessionClock: Clock {
    /// A time on such a clock; those of different clocks cannot be compared.
    public struct Instant: InstantProtocol {
        /// Since the clock's epoch.
        public let offset: Duration

        /// So long after the epoch.
        public init(offset: Duration) { self.offset = offset }
        /// Later, or earlier for a negative duration.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        /// Negative where the other one is earlier.
        public func duration(to other: Instant) -> Duration { other.offset - offset }
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private let currentOffset: @Sendable () -> Duration
    private let sleepUntil: @Sendable (Duration) async throws -> Void
    private let executor: (any TaskExecutor)?
    private let hold: (@Sendable (Bool) -> Void)?
    /// Takes a place in the order in which those that stop the clock go on; returns the wait for it.
    package var takePlace: (@Sendable () -> @Sendable () async -> Void)?

    /// - Parameters:
    ///   - now: the time since the clock's epoch.
    ///   - sleepUntil: returns once `now()` has reached the given offset; throws `CancellationError` when cancelled.
    ///   - executor: runs everything that waits on simulated time.
    ///   - hold: stops the clock, and starts it again.
    public init(
        now: @escaping @Sendable () -> Duration, sleepUntil: @escaping @Sendable (Duration) async throws -> Void,
        executor: (any TaskExecutor)? = nil, hold: (@Sendable (Bool) -> Void)? = nil
    ) {
        currentOffset = now
        self.sleepUntil = sleepUntil
        (self.executor, self.hold) = (executor, hold)
    }

    /// The system's own, which goes on while the machine sleeps.
    public static let continuous: SessionClock = {
        let clock = ContinuousClock()
        let epoch = clock.now
        return SessionClock(
            now: { epoch.duration(to: clock.now) },
            sleepUntil: { try await RealTimeSleep.until(epoch.advanced(by: $0)) })
    }()

    /// By this clock's own pace.
    public var now: Instant { Instant(offset: currentOffset()) }
    /// A simulated clock has no coarser one.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// Throws when the task is cancelled. The tolerance is not used.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try await sleepUntil(deadline.offset)
    }

    /// From now on.
    public func deadline(in duration: Duration) -> Instant { now.advanced(by: duration) }

    /// Starts a task on this clock's executor. The caller must end it and wait for it.
    package func task<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) -> Task<Value, any Error> {
        Task(executorPreference: executor) { try await body() }
    }

    /// Runs `body` even if the caller is cancelled, and waits for it: for leaving a unit in order. It is cancelled after
    /// `limit`, or `hurriedLimit` after the caller was cancelled.
    public func shielded(
        for limit: Duration, onceCancelled hurriedLimit: Duration? = nil, _ body: @escaping @Sendable () async throws -> Void
    ) async {
        let cancelled = Inbox<Void>()
        // Only a separate task escapes cancellation; it is awaited, so that nothing outlives the caller.
        let shield = Task(executorPreference: executor) {
            let end = deadline(in: limit)
            try await withDeadline(end, on: self, timeout: CancellationError()) {
                guard let hurriedLimit else { return try await body() }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask(operation: body)
                    group.addTask {
                        _ = try await cancelled.next(before: end, on: self)
                        try await sleep(until: deadline(in: hurriedLimit))
                    }
                    defer { group.cancelAll() }
                    try await group.next()
                }
            }
        }
        await withTaskCancellationHandler { _ = await shield.result } onCancel: { cancelled.deliver(()) }
    }

    /// Runs `body` while a simulated clock stands still: for waits on this machine, such as its disk.
    public func paused<Value: Sendable>(_ body: () async throws -> Value) async rethrows -> Value {
        hold?(true)
        defer { hold?(false) }
        guard let place = takePlace?() else { return try await body() }
        do {
            let value = try await body()
            await place()
            return value
        } catch {
            await place()
            throw error
        }
    }

    /// Lets a simulated clock run during `body` although a waiting task has stopped it: for a unit's side of ``paused(_:)``.
    package func resumed<Value: Sendable>(_ body: () async throws -> Value) async rethrows -> Value {
        hold?(false)
        defer { hold?(true) }
        return try await body()
    }
}

/// Runs `operation` and throws `timeout` if it has not finished by `deadline`; the operation is then cancelled and awaited.
public func withDeadline<Value: Sendable>(
    _ deadline: SessionClock.Instant, on clock: SessionClock, timeout: @autoclosure @escaping @Sendable () -> any Error,
    operation: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try await withThrowingTaskGroup(of: Value?.self) { group in
        group.addTask { try await operation() }
        group.addTask {
            try await clock.sleep(until: deadline)
            return nil
        }
        defer { group.cancelAll() }
        guard let first = try await group.next(), let value = first else {
            try Task.checkCancellation()
            throw timeout()
        }
        return value
    }
}

extension Duration {
    /// Longer than any run: for waits without a deadline.
    public static let forever = Duration.seconds(100_000_000)
}
