import Synchronization

/// What to say when the process has to end although its run has not.
final class LastWords: Sendable {
    private let action = Mutex<(@Sendable () -> Void)?>(nil)

    /// - Returns: what was to be said before.
    @discardableResult
    func set(_ action: (@Sendable () -> Void)?) -> (@Sendable () -> Void)? {
        self.action.withLock { current in
            defer { current = action }
            return current
        }
    }

    func speak() { action.withLock { $0 }?() }
}
