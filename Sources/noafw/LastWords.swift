import Synchronization

/// What to say when the process has to end although its run has not.
final class LastWords: Sendable {
    private let action = Mutex<(@Sendable () -> Void)?>(nil)

    func set(_ action: (@Sendable () -> Void)?) { self.action.withLock { $0 = action } }

    func speak() { action.withLock { $0 }?() }
}
