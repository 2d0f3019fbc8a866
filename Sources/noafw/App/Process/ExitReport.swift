import Support
import Synchronization

/// What to report when the process has to end although its run has not.
final class ExitReport: Sendable {
    private let action = Mutex<(@Sendable () -> Void)?>(nil)
    private let told = Mutex(Diagnosis.Category.interrupted.rawValue)

    func set(_ action: (@Sendable () -> Void)?) { self.action.withLock { $0 = action } }

    func give() { action.withLock { $0 }?() }

    /// What the process ends with, by what was reported.
    var exitCode: Int32 {
        get { told.withLock(\.self) }
        set { told.withLock { $0 = newValue } }
    }
}
