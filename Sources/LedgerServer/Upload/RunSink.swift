import Foundation
import Ledger
import Support

/// What takes runs.
protocol RunSink: Sendable {
    /// All of them, or none. Runs that are there already are taken for new ones.
    /// - Parameter last: the last number that the station has given by now; what is missing up to it is found by it.
    func insert(_ runs: [RunRecord], last: RunNumber?, within limit: Duration) async throws(ServerFault)
}

/// The table of the server's schema. A station may insert alone, so that nothing names the conflict or asks for rows back.
struct PostgreSQLRuns: RunSink {
    let lane: ServerLane

    func insert(_ runs: [RunRecord], last: RunNumber?, within limit: Duration) async throws(ServerFault) {
        guard let json = Self.json(runs) else { throw .answered(state: "22000", reason: "a record cannot be written as JSON") }
        try await lane.ask(within: limit) { connection, deadline throws(ServerFault) in
            _ = try connection.execute(Self.statement, [json], until: deadline)
            // The runs are there, whatever becomes of it.
            if let last { _ = try? connection.execute("SELECT noafw.tell($1, $2::bigint)", [last.epoch, "\(last.seq)"], until: deadline) }
        }
    }

    static func json(_ runs: [RunRecord]) -> String? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes]
        return (try? encoder.encode(runs)).map { String(decoding: $0, as: UTF8.self) }
    }

    private static let columns = [
        ("id", "uuid"), ("schema", "integer"), ("revision", "integer"), ("station", "text"), ("seq", "bigint"), ("epoch", "text"),
        ("fixture", "text"), ("adapter", "text"), ("operator", "text"), ("work_order", "text"), ("part", "text"), ("batch", "text"),
        ("unit_address", "text"), ("serial", "text"), ("family", "text"), ("verb", "text"), ("attempt_of", "uuid"),
        ("started_at", "bigint"), ("ended_at", "bigint"), ("elapsed_ms", "bigint"), ("outcome", "text"), ("blame", "text"),
        ("code", "text"), ("retries", "integer"), ("versions_before", "jsonb"), ("versions_after", "jsonb"), ("bundle_digest", "text"),
        ("bundle_signer", "text"), ("digests", "jsonb"), ("tool_version", "text"), ("host", "text"), ("plan", "text"),
        ("steps", "jsonb"), ("rssi", "integer"), ("battery", "integer"), ("claim", "text"), ("claim_token", "bigint"),
    ]

    private static let statement = """
        INSERT INTO noafw.runs (\(columns.map(\.0).joined(separator: ", ")))
        SELECT \(columns.map { value($0.0) }.joined(separator: ", "))
        FROM jsonb_to_recordset($1::jsonb) AS run (\(columns.map { "\($0.0) \($0.1)" }.joined(separator: ", ")))
        ON CONFLICT DO NOTHING
        """

    /// Times come in microseconds, the plan as text that holds JSON.
    private static func value(_ column: String) -> String {
        switch column {
        case "started_at", "ended_at": "timestamptz 'epoch' + run.\(column) * interval '1 microsecond'"
        case "plan": "run.plan::jsonb"
        default: "run.\(column)"
        }
    }
}
