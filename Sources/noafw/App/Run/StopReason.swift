import Support
import Synchronization

/// Why a command's work is being cancelled: a task that is cancelled cannot tell by itself.
final class StopReason: Sendable {
    enum Reason: Sendable, Hashable {
        /// A signal.
        case interrupted
        /// The limit of `--timeout`.
        case timeLimit(seconds: Double)
    }

    private let first = Mutex<Reason?>(nil)

    /// The first one stays.
    func set(_ reason: Reason) { first.withLock { $0 = $0 ?? reason } }

    var reason: Reason? { first.withLock { $0 } }
}

extension StopReason {
    /// What ended one unit's work. Whoever is cancelled only knows that: this knows why.
    func diagnosis(of error: any Error) -> Diagnosis {
        guard error is CancellationError else { return diagnose(error) }
        return switch reason {
        case .timeLimit(let seconds): CommandError.timedOut(seconds: seconds).diagnosis
        case .interrupted, nil: CommandError.unitInterrupted.diagnosis
        }
    }
}
