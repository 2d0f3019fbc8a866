import CPQ
import Glibc
import Support

/// One connection of libpq, without its waits: libpq's own time limits hold neither while it connects nor while it waits for an
/// answer, and a server that was stopped still acknowledges what it is sent.
///
/// For one thread.
final class PQConnection {
    private let connection: OpaquePointer

    /// - Parameter settings: libpq's, with numeric addresses.
    init(_ settings: [String: String], until deadline: ContinuousClock.Instant) throws(ServerFault) {
        let names = settings.keys.sorted()
        let started = Self.withCStrings(names) { keys in
            Self.withCStrings(names.map { settings[$0] }) { PQconnectStartParams(keys, $0, 0) }
        }
        guard let started else { throw .lost("no memory") }
        connection = started
        // libpq would write notices to standard error.
        PQsetNoticeReceiver(started, { _, _ in }, nil)
        try finishConnecting(deadline)
        PQsetnonblocking(started, 1)
    }

    deinit { PQfinish(connection) }

    private func finishConnecting(_ deadline: ContinuousClock.Instant) throws(ServerFault) {
        var state = PGRES_POLLING_WRITING
        while PQstatus(connection) != CONNECTION_BAD {
            switch state {
            case PGRES_POLLING_OK: return
            case PGRES_POLLING_FAILED: throw fault
            case PGRES_POLLING_READING: try wait(POLLIN, deadline)
            default: try wait(POLLOUT, deadline)
            }
            state = PQconnectPoll(connection)
        }
        throw fault
    }

    /// Parameters are bound as text; a statement with its data in it could end in the server's log.
    func execute(_ sql: String, _ parameters: [String?] = [], until deadline: ContinuousClock.Instant) throws(ServerFault) -> PQRows {
        let sent = Self.withCStrings(parameters) { PQsendQueryParams(connection, sql, Int32(parameters.count), nil, $0, nil, nil, 0) }
        guard sent == 1 else { throw fault }
        try flush(deadline)
        var last: Result<PQRows, ServerFault> = .failure(.lost("the server gave no answer"))
        while true {
            while PQisBusy(connection) == 1 {
                try wait(POLLIN, deadline)
                guard PQconsumeInput(connection) == 1 else { throw fault }
            }
            guard let result = PQgetResult(connection) else { return try last.get() }
            defer { PQclear(result) }
            last = PQRows.read(result)
        }
    }

    private func flush(_ deadline: ContinuousClock.Instant) throws(ServerFault) {
        while true {
            let left = PQflush(connection)
            guard left != 0 else { return }
            guard left > 0 else { throw fault }
            try wait(POLLIN | POLLOUT, deadline)
            // An answer that is not taken could keep the server from reading on.
            guard PQconsumeInput(connection) == 1 else { throw fault }
        }
    }

    /// The socket may change while libpq connects.
    private func wait(_ events: Int32, _ deadline: ContinuousClock.Instant) throws(ServerFault) {
        while true {
            let left = ContinuousClock.now.duration(to: deadline)
            guard left > .zero else { throw .lost("no answer in time") }
            let (seconds, attoseconds) = left.components
            let milliseconds = min(seconds, 3600) * 1000 + attoseconds / 1_000_000_000_000_000 + 1
            var descriptor = pollfd(fd: PQsocket(connection), events: Int16(events), revents: 0)
            guard descriptor.fd >= 0 else { throw fault }
            let ready = poll(&descriptor, 1, Int32(milliseconds))
            if ready > 0 { return }
            guard ready == 0 || errno == EINTR else { throw .lost(SystemError.last) }
        }
    }

    /// libpq 15 keeps the state of a refused connection to itself.
    private var fault: ServerFault {
        let text = PQerrorMessage(connection).map { String(cString: $0) } ?? ""
        let ofLogin = ["password authentication failed", "no pg_hba.conf entry", "no password supplied"]
        return ofLogin.contains(where: text.contains) ? .login(Redaction.line(text)) : .lost(Redaction.line(text))
    }

    private static func withCStrings<Result>(
        _ texts: [String?], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
    ) -> Result {
        let copies = texts.map { $0.flatMap { strdup($0) } }
        defer { copies.forEach { free($0) } }
        return (copies.map { UnsafePointer($0) } + [nil]).withUnsafeBufferPointer { body($0.baseAddress!) }
    }
}
