import Synchronization

/// What to report when the process has to end although its run has not.
final class ExitReport: Sendable {
    private let action = Mutex<(@Sendable () -> Void)?>(nil)

    func set(_ action: (@Sendable () -> Void)?) { self.action.withLock { $0 = action } }

    func give() { action.withLock { $0 }?() }
}
