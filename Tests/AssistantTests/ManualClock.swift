import Bluetooth
import Support
import Synchronization

/// A clock that stands still until a test moves it, so that a wait of a minute takes no time and a wait of no time never passes.
final class ManualClock: Sendable {
    private struct Sleeper {
        let id: Int
        let wake: Duration
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct Watcher {
        let lasting: ClosedRange<Duration>
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var now = Duration.zero
        var nextID = 0
        var sleepers: [Sleeper] = []
        var cancelled: Set<Int> = []
        var watchers: [Watcher] = []

        func holdsSleeper(lasting: ClosedRange<Duration>) -> Bool {
            sleepers.contains { lasting.contains($0.wake - now) }
        }
    }

    private let state = Mutex(State())

    var clock: SessionClock {
        SessionClock(now: { self.state.withLock { $0.now } }, sleepUntil: { try await self.sleep(until: $0) })
    }

    /// Returns when somebody waits for about so long.
    func waitForSleeper(lasting: ClosedRange<Duration>) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state -> Bool in
                if state.holdsSleeper(lasting: lasting) { return true }
                state.watchers.append(Watcher(lasting: lasting, continuation: continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    func advance(by duration: Duration) {
        let due = state.withLock { state -> [Sleeper] in
            state.now += duration
            defer { state.sleepers.removeAll { $0.wake <= state.now } }
            return state.sleepers.filter { $0.wake <= state.now }
        }
        for sleeper in due { sleeper.continuation.resume() }
    }

    private func sleep(until wake: Duration) async throws {
        let id = state.withLock { state -> Int in
            state.nextID += 1
            return state.nextID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { add(Sleeper(id: id, wake: wake, continuation: $0)) }
        } onCancel: {
            cancel(id)
        }
    }

    private func add(_ sleeper: Sleeper) {
        enum Fate { case sleeps, due, cancelled }
        let (fate, watchers) = state.withLock { state -> (Fate, [Watcher]) in
            if state.cancelled.remove(sleeper.id) != nil { return (.cancelled, []) }
            if sleeper.wake <= state.now { return (.due, []) }
            state.sleepers.append(sleeper)
            let seen = state.watchers.filter { $0.lasting.contains(sleeper.wake - state.now) }
            state.watchers.removeAll { $0.lasting.contains(sleeper.wake - state.now) }
            return (.sleeps, seen)
        }
        for watcher in watchers { watcher.continuation.resume() }
        switch fate {
        case .sleeps: break
        case .due: sleeper.continuation.resume()
        case .cancelled: sleeper.continuation.resume(throwing: CancellationError())
        }
    }

    private func cancel(_ id: Int) {
        let sleeper = state.withLock { state -> Sleeper? in
            guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else {
                state.cancelled.insert(id)
                return nil
            }
            return state.sleepers.remove(at: index)
        }
        sleeper?.continuation.resume(throwing: CancellationError())
    }
}
