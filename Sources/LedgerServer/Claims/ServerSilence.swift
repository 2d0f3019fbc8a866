import Support
import Synchronization

/// Remembers for a minute that the server gave no answer, so that not each unit waits for it in vain.
final class ServerSilence: Sendable {
    static let pause = Duration.seconds(60)
    /// A server that refuses a connection at once costs a unit nothing.
    private static let patience = Duration.seconds(2)

    private let told = Mutex<(until: SessionClock.Instant, reason: String)?>(nil)

    /// - Returns: why the server is not asked now; `nil` where it is.
    func reason(at now: SessionClock.Instant) -> String? {
        told.withLock { told in told.flatMap { now < $0.until ? $0.reason : nil } }
    }

    /// - Parameter asked: when the wait began that `fault` ended.
    func note(_ fault: ServerFault, asked: SessionClock.Instant, now: SessionClock.Instant) {
        guard case .lost(let reason) = fault, asked.duration(to: now) >= Self.patience else { return }
        told.withLock { $0 = (now.advanced(by: Self.pause), reason) }
    }
}
