import Support

/// One unit's work in a fleet. It is cancelled when its time is over, and abandoned if it does not stop, so that one hanging
/// unit does not hold up the others.
struct BoundedWork<Value: Sendable>: Sendable {
    private enum Message: Sendable {
        case ended(Result<Value, any Error>)
        case cancelled
    }

    let clock: SessionClock
    let timeout: Duration
    /// Time to clean up after a cancellation.
    let grace: Duration

    /// - Returns: the result of the work. Without one, ``FleetError/hung(after:)`` if its time cancelled it, or
    ///   `CancellationError` if the caller did.
    func run(_ body: @escaping @Sendable () async throws -> Value) async -> Result<Value, any Error> {
        let inbox = Inbox<Message>(capacity: 8)
        let work = clock.task { inbox.deliver(.ended(await Self.result(of: body))) }
        // A separate task, because the caller's cancellation must not reach it directly.
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
