import Foundation
import Support
import Synchronization

/// One connection at a time, on its own thread: connect, answer the queue, disconnect. A station needs few connections to a server that
/// serves thousands.
///
/// Each request ends at its own limit, even when libpq hangs in the machine's resolver.
final class ServerLane: Sendable {
    typealias Body<Value> = @Sendable (PQConnection, ContinuousClock.Instant) throws(ServerFault) -> Value

    private final class Request: Sendable {
        let deadline: ContinuousClock.Instant
        /// Fails only when the connection did; every other answer is delivered.
        let perform: @Sendable (PQConnection) -> Result<Void, ServerFault>
        let fail: @Sendable (ServerFault) -> Void
        private let over = Atomic(false)

        init(
            _ deadline: ContinuousClock.Instant, perform: @escaping @Sendable (PQConnection) -> Result<Void, ServerFault>,
            fail: @escaping @Sendable (ServerFault) -> Void
        ) {
            (self.deadline, self.perform, self.fail) = (deadline, perform, fail)
        }

        /// Nobody waits for its answer.
        var isOver: Bool { over.load(ordering: .relaxed) }
        func end() { over.store(true, ordering: .relaxed) }
    }

    private struct State {
        var waiting: [Request] = []
        var isRunning = false
    }

    private let address: ServerAddress
    private let state = Mutex(State())

    init(_ address: ServerAddress) { self.address = address }

    /// A cancelled caller stops waiting.
    /// - Parameter body: runs again if the connection had already ended.
    func ask<Value: Sendable>(within limit: Duration, _ body: @escaping Body<Value>) async throws(ServerFault) -> Value {
        let deadline = ContinuousClock.now.advanced(by: limit)
        let answer = Inbox<Result<Value, ServerFault>>()
        let request = Request(
            deadline,
            perform: { connection in
                let result = Result { () throws(ServerFault) in try body(connection, deadline) }
                if case .failure(let fault) = result, fault.endsConnection { return .failure(fault) }
                answer.deliver(result)
                return .success(())
            },
            fail: { answer.deliver(.failure($0)) })
        add(request)
        let clock = SessionClock.continuous
        let result = try? await answer.next(before: clock.deadline(in: limit), on: clock)
        request.end()
        return try (result ?? .failure(.lost("no answer in time"))).get()
    }

    private func add(_ request: Request) {
        let starts = state.withLock { state in
            state.waiting.append(request)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if starts { Thread.detachNewThread { self.run() } }
    }

    /// - Returns: `nil` when nothing is left: then the thread ends.
    private func next() -> Request? {
        state.withLock { state in
            state.waiting.removeAll(where: \.isOver)
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
        let others = state.withLock(\.waiting)
        do throws(ServerFault) {
            let current = if let connection { connection } else { try connect(until: request.deadline) }
            connection = current
            guard case .failure(let fault) = request.perform(current) else { return }
            connection = nil
            // It may have ended while idle: retry once with a new one.
            guard wasUsed, fault.kind == .passing, !request.isOver, ContinuousClock.now < request.deadline else {
                return request.fail(fault)
            }
            serve(request, &connection)
        } catch {
            // Others in the queue would only wait as long again for the same connection.
            for failed in [request] + others {
                failed.fail(error)
                failed.end()
            }
        }
    }

    /// A station never makes or changes the server's tables.
    private func connect(until deadline: ContinuousClock.Instant) throws(ServerFault) -> PQConnection {
        let connection = try PQConnection(address.settings, until: deadline)
        var found: Int?
        do {
            let rows = try connection.execute("SELECT version FROM noafw.schema_version", until: deadline).rows
            found = rows.first?.first?.flatMap { Int($0) }
        } catch .answered(let state, let reason) {
            guard ["3F000", "42P01"].contains(state) else { throw .answered(state: state, reason: reason) }
        }
        guard found == ServerSchema.version else { throw .schema(found: found) }
        return connection
    }
}
