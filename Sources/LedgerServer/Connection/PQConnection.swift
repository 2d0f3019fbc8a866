import CPQ
import Glibc
import Support

/// One connection of libpq, without libpq's waits: its time limits hold neither while it connects nor while it waits for an answer, and a
/// stopped server still acknowledges what it is sent. ``ServerWire`` limits what a server sends.
final class PQConnection {
    private let pq: LibPQ
    private let connection: OpaquePointer
    private var wire: ServerWire?

    init(_ settings: [String: String], until deadline: ContinuousClock.Instant) throws(ServerFault) {
        guard case .success(let pq) = LibPQ.loaded else { throw .lost("libpq is not there") }
        self.pq = pq
        let names = settings.keys.sorted()
        let started = Self.withCStrings(names) { keys in
            Self.withCStrings(names.map { settings[$0] }) { pq.PQconnectStartParams(keys, $0, 0) }
        }
        guard let started else { throw .lost("no memory") }
        connection = started
        _ = pq.PQsetErrorVerbosity(started, PQERRORS_VERBOSE)
        // libpq would write notices to standard error.
        _ = pq.PQsetNoticeReceiver(started, { _, _ in }, nil)
        try finishConnecting(deadline)
        _ = pq.PQsetnonblocking(started, 1)
    }

    deinit { pq.PQfinish(connection) }

    private func finishConnecting(_ deadline: ContinuousClock.Instant) throws(ServerFault) {
        var state = PGRES_POLLING_WRITING
        while pq.PQstatus(connection) != CONNECTION_BAD {
            switch state {
            case PGRES_POLLING_OK: return
            case PGRES_POLLING_FAILED: throw fault
            case PGRES_POLLING_READING: try wait(POLLIN, deadline)
            default: try wait(POLLOUT, deadline)
            }
            state = pq.PQconnectPoll(connection)
        }
        throw fault
    }

    /// Binds parameters as text: a statement that contains data could end in the server's log.
    func execute(_ sql: String, _ parameters: [String?] = [], until deadline: ContinuousClock.Instant) throws(ServerFault) -> PQRows {
        let sent = Self.withCStrings(parameters) { pq.PQsendQueryParams(connection, sql, Int32(parameters.count), nil, $0, nil, nil, 0) }
        guard sent == 1 else { throw fault }
        wire?.beginAnswer()
        try flush(deadline)
        var last: Result<PQRows, ServerFault> = .failure(.lost("the server gave no answer"))
        while true {
            while pq.PQisBusy(connection) == 1 {
                try wait(POLLIN, deadline)
                guard pq.PQconsumeInput(connection) == 1 else { throw fault }
            }
            guard let result = pq.PQgetResult(connection) else { return try last.get() }
            defer { pq.PQclear(result) }
            // libpq returns it again and again.
            guard ![PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH].contains(pq.PQresultStatus(result)) else {
                throw .lost("the server's answer is invalid")
            }
            last = PQRows.read(result, with: pq, hiding: secret)
        }
    }

    private func flush(_ deadline: ContinuousClock.Instant) throws(ServerFault) {
        while true {
            let left = pq.PQflush(connection)
            guard left != 0 else { return }
            guard left > 0 else { throw fault }
            try wait(POLLIN | POLLOUT, deadline)
            // A server may not read on before its answer is read.
            guard pq.PQconsumeInput(connection) == 1 else { throw fault }
        }
    }

    /// The socket may change while libpq connects.
    private func wait(_ events: Int32, _ deadline: ContinuousClock.Instant) throws(ServerFault) {
        let socket = pq.PQsocket(connection)
        guard socket >= 0 else { throw fault }
        if wire?.isBehind(socket) != true { wire = isConnected ? try ServerWire(inPlaceOf: socket, password: secret) : nil }
        guard let wire else { return _ = try ServerWire.poll([(socket, events)], until: deadline) }
        try wire.wait(socket, for: events, until: deadline)
    }

    private var isConnected: Bool { ![CONNECTION_NEEDED, CONNECTION_STARTED, CONNECTION_BAD].contains(pq.PQstatus(connection)) }

    /// libpq 15 has the state of a refused connection only in verbose messages, whose words are in the server's language.
    private var fault: ServerFault {
        let text = pq.PQerrorMessage(connection).map { String(cString: $0) } ?? ""
        let line = Redaction.line(text.split(separator: "\n").filter { !$0.hasPrefix("LOCATION:") }.joined(separator: " "), hiding: secret)
        let state = text.firstMatch(of: #/:\s+([0-9][0-9A-Z]{4}): /#).map { String($0.1) }
        if state?.hasPrefix("28") == true || text.contains("no password supplied") { return .login(line) }
        return state == Self.noDatabase ? .answered(state: Self.noDatabase, reason: line) : .lost(line)
    }

    private static let noDatabase = "3D000"

    /// A server that has it may put it into its message.
    private var secret: String { pq.PQpass(connection).map { String(cString: $0) } ?? "" }

    private static func withCStrings<Result>(
        _ texts: [String?], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
    ) -> Result {
        let copies = texts.map { $0.flatMap { strdup($0) } }
        defer { copies.forEach { free($0) } }
        return (copies.map { UnsafePointer($0) } + [nil]).withUnsafeBufferPointer { body($0.baseAddress!) }
    }
}

struct PQRows: Sendable {
    var rows: [[String?]] = []

    static func read(_ result: OpaquePointer, with pq: LibPQ, hiding secret: String) -> Result<PQRows, ServerFault> {
        switch pq.PQresultStatus(result) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK:
            let rows = (0..<pq.PQntuples(result)).map { row in
                (0..<pq.PQnfields(result)).map { column -> String? in
                    guard pq.PQgetisnull(result, row, column) == 0, let value = pq.PQgetvalue(result, row, column) else { return nil }
                    return String(cString: value)
                }
            }
            return .success(PQRows(rows: rows))
        default:
            let primary =
                pq.PQresultErrorField(result, Int32(UInt8(ascii: "M"))) ?? UnsafeMutablePointer(mutating: pq.PQresultErrorMessage(result))
            let state = pq.PQresultErrorField(result, Int32(UInt8(ascii: "C"))).map { String(cString: $0) }
            let reason = Redaction.line(primary.map { String(cString: $0) } ?? "no message", hiding: secret)
            return .failure(state.map { .answered(state: $0, reason: reason) } ?? .lost(reason))
        }
    }
}
