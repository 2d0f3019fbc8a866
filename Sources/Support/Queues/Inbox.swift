import Synchronization

/// A queue for one consumer, with a deadline on every wait. Unlike with an `AsyncStream`, a wait that times out or is cancelled
/// loses nothing.
public final class Inbox<Element: Sendable>: Sendable {
    private struct State {
        var buffer: [Element] = []
        var head = 0
        var end: (any Error)?
        var waiter: CheckedContinuation<Void, Never>?

        var count: Int { buffer.count - head }

        mutating func popFirst() -> Element? {
            guard head < buffer.count else { return nil }
            let element = buffer[head]
            head += 1
            if head == buffer.count || head > 256 {
                buffer.removeFirst(head)
                head = 0
            }
            return element
        }
    }

    private let state = Mutex(State())
    private let capacity: Int
    private let overrun: any Error

    /// - Parameter overrun: ends an inbox that holds more than `capacity` elements.
    public init(capacity: Int = 8192, overrun: any Error = InboxOverrun()) { (self.capacity, self.overrun) = (capacity, overrun) }

    /// Adds an element; ignored after ``finish(throwing:)``.
    public func deliver(_ element: Element) {
        wake { state in
            guard state.end == nil else { return }
            if state.count >= capacity {
                state.end = overrun
            } else {
                state.buffer.append(element)
            }
        }
    }

    /// Ends the inbox: delivered elements can still be taken, then `next` throws `error`.
    public func finish(throwing error: any Error) {
        wake { if $0.end == nil { $0.end = error } }
    }

    /// The next element, without waiting.
    public func poll() -> Element? { state.withLock { $0.popFirst() } }

    /// - Returns: `nil` when the deadline passed first.
    /// - Throws: the error of ``finish(throwing:)``, or `CancellationError`.
    public func next(before deadline: SessionClock.Instant, on clock: SessionClock) async throws -> Element? {
        while true {
            if let ready = try takeReady() { return ready }
            if clock.now >= deadline { return nil }
            do {
                try await withDeadline(deadline, on: clock, timeout: DeadlinePassed()) { [self] in
                    await waitForChange()
                    try Task.checkCancellation()
                }
            } catch is DeadlinePassed {
                return try takeReady()
            }
        }
    }

    private struct DeadlinePassed: Error {}

    private func takeReady() throws -> Element? {
        try state.withLock { state in
            if let element = state.popFirst() { return element }
            if let end = state.end { throw end }
            return nil
        }
    }

    private func waitForChange() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let resumeNow = state.withLock { state -> Bool in
                    if state.count > 0 || state.end != nil || Task.isCancelled { return true }
                    state.waiter = continuation
                    return false
                }
                if resumeNow { continuation.resume() }
            }
        } onCancel: {
            wake { _ in }
        }
    }

    private func wake(_ change: (inout State) -> Void) {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            change(&state)
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }
}

/// This process received more than it read.
public struct InboxOverrun: DiagnosableError, Hashable {
    /// Tells nothing of what was lost.
    public init() {}

    /// `SUP-0001`.
    public var diagnosis: Diagnosis {
        Diagnosis("SUP-0001", .tryAgain, .station, "more events arrived than noafw could handle",
            cause: "the machine is overloaded, or a device sends without end",
            remedy: "power-cycle the unit, end other programs, and run the same command again")
    }
}
