import Synchronization

/// What to report when the process has to end although its run has not.
final class ExitReport: Sendable {
    private let action = Mutex<(@Sendable () -> Void)?>(nil)

    /// - Returns: the report that was set before.
    @discardableResult
    func set(_ action: (@Sendable () -> Void)?) -> (@Sendable () -> Void)? {
        self.action.withLock { current in
            defer { current = action }
            return current
        }
    }

    func give() { action.withLock { $0 }?() }
}
