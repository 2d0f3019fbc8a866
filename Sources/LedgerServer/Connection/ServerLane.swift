import Foundation
import Support
import Synchronization

/// One connection at a time, on a thread of its own: connect, answer what has gathered, disconnect. A station has few connections
/// on a server that serves thousands.
///
/// Each request ends at its own limit, even where the thread hangs in the machine's resolver.
final class ServerLane: Sendable {
    typealias Body<Value> = @Sendable (PQConnection, ContinuousClock.Instant) throws(ServerFault) -> Value

    private struct Request: Sendable {
        var number = 0
        let deadline: ContinuousClock.Instant
        let isOver: @Sendable () -> Bool
        /// Fails only where the connection did; every other answer is given.
        let perform: @Sendable (PQConnection) -> Result<Void, ServerFault>
        let fail: @Sendable (ServerFault) -> Void
    }

    private struct State {
        var waiting: [Request] = []
        /// How many were ever added.
        var count = 0
        var isRunning = false
    }

    private let address: ServerAddress
    private let state = Mutex(State())

    init(_ address: ServerAddress) { self.address = address }

    /// A cancelled caller waits no longer, whatever becomes of its request.
    /// - Parameter body: may be performed a second time, where the connection had ended before.
    func ask<Value: Sendable>(within limit: Duration, _ body: @escaping Body<Value>) async throws(ServerFault) -> Value {
        let deadline = ContinuousClock.now.advanced(by: limit)
        let answer = Answer<Value>()
        // It ends with the answer.
        let timer = SessionClock.continuous.task {
            try await SessionClock.continuous.sleep(for: limit)
            answer.give(.failure(.lost("no answer in time")))
        }
        defer { timer.cancel() }
        let request = Request(
            deadline: deadline, isOver: { answer.isGiven },
            perform: { connection in
                let result = Result { () throws(ServerFault) in try body(connection, deadline) }
                if case .failure(let fault) = result, fault.endsConnection { return .failure(fault) }
                answer.give(result)
                return .success(())
            },
            fail: { answer.give(.failure($0)) })
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                answer.wait(continuation)
                add(request)
            }
        } onCancel: {
            answer.give(.failure(.lost("no answer in time")))
        }
        return try result.get()
    }

    private func add(_ request: Request) {
        let starts = state.withLock { state in
            state.count += 1
            state.waiting.append(request)
            state.waiting[state.waiting.count - 1].number = state.count
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if starts { Thread.detachNewThread { self.run() } }
    }

    /// - Returns: `nil` when nothing is left: then the thread ends.
    private func next() -> Request? {
        state.withLock { state in
            state.waiting.removeAll { $0.isOver() }
            state.isRunning = !state.waiting.isEmpty
            return state.waiting.isEmpty ? nil : state.waiting.removeFirst()
        }
    }
}

// MARK: - The thread

extension ServerLane {
    private func run() {
        var connection: PQConnection?
        while let request = next() { serve(request, &connection) }
    }

    private func serve(_ request: Request, _ connection: inout PQConnection?) {
        let wasUsed = connection != nil
        let last = state.withLock(\.count)
        do throws(ServerFault) {
            let current = if let connection { connection } else { try connect(until: request.deadline) }
            connection = current
            guard case .failure(let fault) = request.perform(current) else { return }
            connection = nil
            // It may have ended while it was idle: once more with a new one.
            guard wasUsed, fault.kind == .passing, !request.isOver(), ContinuousClock.now < request.deadline else { return request.fail(fault) }
            serve(request, &connection)
        } catch {
            request.fail(error)
            failAll(upTo: last, error)
        }
    }

    /// What has waited for the same connection would only wait as long again.
    private func failAll(upTo last: Int, _ fault: ServerFault) {
        let others = state.withLock { state in
            defer { state.waiting.removeAll { $0.number <= last } }
            return state.waiting.filter { $0.number <= last }
        }
        others.forEach { $0.fail(fault) }
    }

    private func connect(until deadline: ContinuousClock.Instant) throws(ServerFault) -> PQConnection {
        let connection = try PQConnection(address.settings, until: deadline)
        try checkForm(of: connection, until: deadline)
        return connection
    }

    /// A station never makes or changes the server's tables.
    private func checkForm(of connection: PQConnection, until deadline: ContinuousClock.Instant) throws(ServerFault) {
        var found: Int?
        do {
            found = try connection.execute("SELECT version FROM noafw.schema_version", until: deadline).rows.first?.first??.wholeNumber
        } catch .answered(let state, let reason) {
            guard ["3F000", "42P01"].contains(state) else { throw .answered(state: state, reason: reason) }
        }
        guard found == ServerSchema.version else { throw .schema(found: found) }
    }
}

/// The answer to a request: the first one counts.
private final class Answer<Value: Sendable>: Sendable {
    private enum State {
        case new
        case awaited(CheckedContinuation<Result<Value, ServerFault>, Never>)
        case given(Result<Value, ServerFault>)
    }

    private let state = Mutex(State.new)

    var isGiven: Bool { state.withLock { if case .given = $0 { true } else { false } } }

    func wait(_ continuation: CheckedContinuation<Result<Value, ServerFault>, Never>) {
        let early = state.withLock { state -> Result<Value, ServerFault>? in
            if case .given(let result) = state { return result }
            state = .awaited(continuation)
            return nil
        }
        if let early { continuation.resume(returning: early) }
    }

    func give(_ result: Result<Value, ServerFault>) {
        let continuation = state.withLock { state -> CheckedContinuation<Result<Value, ServerFault>, Never>? in
            defer { if case .given = state {} else { state = .given(result) } }
            if case .awaited(let continuation) = state { return continuation }
            return nil
        }
        continuation?.resume(returning: result)
    }
}

extension String {
    fileprivate var wholeNumber: Int? { Int(self) }
}
