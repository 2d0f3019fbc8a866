import Support

/// One unit's work in a fleet: it is cancelled when its time is over, and left alone when it does not obey, so that one that hangs
/// keeps nobody else from the end.
struct BoundedWork<Value: Sendable>: Sendable {
    private enum Message: Sendable {
        case ended(Result<Value, any Error>)
        case cancelled
    }

    let clock: SessionClock
    let timeout: Duration
    /// For what has to be put in order after a cancellation.
    let grace: Duration

    /// - Returns: what the work came to; of one that has nothing to say ``FleetError/hung(after:)`` where its time cancelled it, and
    ///   `CancellationError` where the caller did.
    func run(_ body: @escaping @Sendable () async throws -> Value) async -> Result<Value, any Error> {
        let inbox = Inbox<Message>(capacity: 8)
        let work = clock.task { inbox.deliver(.ended(await Self.result(of: body))) }
        // A task of its own, which the caller's cancellation does not reach: it is told.
        let watch = clock.task { await follow(inbox, work) }
        return await withTaskCancellationHandler {
            do { return try await watch.value } catch { return .failure(error) }
        } onCancel: {
            inbox.deliver(.cancelled)
        }
    }

    private static func result(of body: @Sendable () async throws -> Value) async -> Result<Value, any Error> {
        do { return .success(try await body()) } catch { return .failure(error) }
    }

    private func follow(_ inbox: Inbox<Message>, _ work: Task<Void, any Error>) async -> Result<Value, any Error> {
        var deadline = clock.deadline(in: timeout)
        var isEnding = false
        var isLate = false
        while true {
            guard let message = try? await inbox.next(before: deadline, on: clock) else {
                if isEnding { return .failure(isLate ? FleetError.hung(after: timeout) : CancellationError()) }
                (isEnding, isLate, deadline) = (true, true, clock.deadline(in: grace))
                work.cancel()
                continue
            }
            switch message {
            case .ended(.failure(is CancellationError)) where isLate: return .failure(FleetError.hung(after: timeout))
            case .ended(let result): return result
            case .cancelled:
                guard !isEnding else { continue }
                (isEnding, deadline) = (true, clock.deadline(in: grace))
                work.cancel()
            }
        }
    }
}
