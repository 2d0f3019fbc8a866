import Support
import Synchronization

/// Sends closed runs while others go on: one upload at a time, and no run waits for it.
public final class BackgroundUploads: Sendable {
    private struct State {
        var sending: Task<Void, any Error>?
        /// A run was closed during the upload.
        var isWanted = false
        var isFinished = false
        /// Uploads in a row that failed.
        var failures = 0
    }

    /// How long one upload to a hanging server may occupy a thread and a connection.
    static let limit = Duration.seconds(10)

    private let uploads: any RunUploads
    private let clock: SessionClock
    private let tell: @Sendable ([LedgerNotice]) -> Void
    private let state = Mutex(State())
    private let ended = Inbox<Void>()

    /// - Parameter tell: gets what an operator must know before the end.
    public init(_ uploads: any RunUploads, clock: SessionClock = .continuous, tell: @escaping @Sendable ([LedgerNotice]) -> Void) {
        (self.uploads, self.clock, self.tell) = (uploads, clock, tell)
    }

    /// Returns at once.
    public func runClosed() {
        state.withLock { state in
            guard !state.isFinished else { return }
            state.isWanted = true
            guard state.sending == nil else { return }
            state.sending = clock.task { [self] in
                while takesWork() { await sendOnce() }
            }
        }
    }

    /// Ends the sending in the background, then tries a last time, both within `limit`. Call it once.
    public func finish(within limit: Duration) async -> UploadReport {
        let deadline = clock.deadline(in: limit)
        let sending = state.withLock { state in
            (state.isWanted, state.isFinished) = (false, true)
            return state.sending
        }
        if let sending {
            // The current upload is as good as another try.
            _ = try? await ended.next(before: deadline, on: clock)
            sending.cancel()
            _ = await sending.result
        }
        return await uploads.send(within: max(.zero, clock.now.duration(to: deadline)))
    }

    /// - Returns: `false` when nothing is left to send: then the task ends.
    private func takesWork() -> Bool {
        state.withLock { state in
            defer { state.isWanted = false }
            guard !state.isWanted else { return true }
            state.sending = nil
            if state.isFinished { ended.deliver(()) }
            return false
        }
    }

    private func sendOnce() async {
        let report = await uploads.sendOnce(within: Self.limit)
        let notices = state.withLock { state in
            state.failures = report.failure == nil ? 0 : state.failures + 1
            // One upload had no time for all.
            if report.left > 0, report.failure == nil, !state.isFinished { state.isWanted = true }
            return report.notices(isOutage: state.failures == Self.outage)
        }
        tell(notices)
    }

    /// A single failure is not reported: the next upload tries again.
    private static let outage = 2
}

extension UploadReport {
    fileprivate func notices(isOutage: Bool) -> [LedgerNotice] {
        notices.filter { notice in
            if case .unsent = notice { isOutage } else { true }
        }
    }
}
