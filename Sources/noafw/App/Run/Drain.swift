import Support
import Synchronization

/// An orderly end of work on many units: what runs is finished, nothing new is started.
final class Drain: Sendable {
    private struct State {
        var isOffered = false
        var isAsked = false
        var wake: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// A command that can drain offers it; a signal then drains it, and only the next one cancels it.
    func offer(_ wake: @escaping @Sendable () -> Void) {
        state.withLock { ($0.isOffered, $0.wake) = (true, wake) }
    }

    func withdraw() { state.withLock { ($0.isOffered, $0.wake) = (false, nil) } }

    /// From within: there is nothing more to start.
    func end() { state.withLock { $0.isAsked = true } }

    var isAsked: Bool { state.withLock(\.isAsked) }

    /// Whether a command drains now.
    var isGoingOn: Bool { state.withLock { $0.isOffered && $0.isAsked } }

    /// - Returns: whether a command drains now.
    func ask() -> Bool {
        let wake = state.withLock { state -> (@Sendable () -> Void)? in
            guard state.isOffered, !state.isAsked else { return nil }
            state.isAsked = true
            return state.wake
        }
        wake?()
        return wake != nil
    }
}
