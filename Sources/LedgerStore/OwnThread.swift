import Foundation

/// Runs blocking work on a thread of its own: waiting for a disk or a lock keeps no thread of Swift's pool, and a task that is
/// cancelled meanwhile undoes nothing.
enum OwnThread {
    static func run<Value: Sendable, Failure: Error>(
        _ body: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: Result(catching: body)) }
        }
        return try result.get()
    }
}
