import Foundation
import Ledger
import Support

protocol RunSink: Sendable {
    /// Inserts all or none. Known runs are no error.
    /// - Parameter last: the station's last number, which shows what is missing.
    func insert(_ runs: [RunRecord], last: RunNumber?, within limit: Duration) async throws(ServerFault)
}

/// A station may only insert, so the statement neither names the conflict nor asks for rows.
struct PostgreSQLRuns: RunSink {
    let lane: ServerLane

    func insert(_ runs: [RunRecord], last: RunNumber?, within limit: Duration) async throws(ServerFault) {
        guard let json = Self.json(runs) else { throw .answered(state: "22000", reason: "a record cannot be written as JSON") }
        try await lane.ask(within: limit) { connection, deadline throws(ServerFault) in
            _ = try connection.execute(Self.statement, [json], until: deadline)
            // The runs are stored even without it.
            if let last { _ = try? connection.execute("SELECT noafw.tell($1, $2::bigint)", [last.epoch, "\(last.seq)"], until: deadline) }
        }
    }

    static func json(_ runs: [RunRecord]) -> String? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes]
        return (try? encoder.encode(runs)).map { String(decoding: $0, as: UTF8.self) }
    }

    private static let names = RunColumn.all.map(\.name).joined(separator: ", ")
    private static let types = RunColumn.all.map { "\($0.name) \($0.postgres.prefix { $0 != " " })" }.joined(separator: ", ")
    private static let statement = """
        INSERT INTO noafw.runs (\(names)) SELECT \(names) FROM jsonb_to_recordset($1::jsonb) AS run (\(types)) ON CONFLICT DO NOTHING
        """
}
