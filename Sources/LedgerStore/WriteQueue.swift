import Foundation
import Ledger
import Synchronization

/// Records on their way to the disk. A thread writes everything that has gathered at once, so many units wait for the disk as often as
/// one. It ends when nothing is left.
///
/// A cancelled task undoes nothing: the queue is written.
final class WriteQueue: Sendable {
    struct Request: Sendable {
        var record: RunRecord
        var begins: Bool
        var rebindsSerial = false
    }

    typealias Answer = Result<Recorded, LedgerError>

    private struct Waiting: Sendable {
        var request: Request
        var continuation: CheckedContinuation<Answer, Never>
    }

    private struct State {
        var waiting: [Waiting] = []
        var isRunning = false
    }

    static let batchLimit = 200

    private let state = Mutex(State())

    func add(_ request: Request, write: @escaping @Sendable ([Request]) -> [Answer]) async throws(LedgerError) -> Recorded {
        let answer = await withCheckedContinuation { continuation in
            let starts = state.withLock { state in
                state.waiting.append(Waiting(request: request, continuation: continuation))
                defer { state.isRunning = true }
                return !state.isRunning
            }
            if starts { Thread.detachNewThread { self.drain(write) } }
        }
        return try answer.get()
    }

    private func drain(_ write: ([Request]) -> [Answer]) {
        while let batch = next() {
            for (waiting, answer) in zip(batch, write(batch.map(\.request))) { waiting.continuation.resume(returning: answer) }
        }
    }

    private func next() -> [Waiting]? {
        state.withLock { state in
            let batch = Array(state.waiting.prefix(Self.batchLimit))
            state.waiting.removeFirst(batch.count)
            state.isRunning = !batch.isEmpty
            return batch.isEmpty ? nil : batch
        }
    }
}

/// Runs blocking work on its own thread: waiting for a disk or a lock blocks no thread of Swift's pool, and cancellation undoes nothing.
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
