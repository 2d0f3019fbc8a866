import GRDB
import Ledger
import Synchronization

/// What waits for the server. A run is put there with its close, and stays until the server has said that it has it.
extension SQLiteLedger: RunOutbox {
    public func unsent(station: String, limit: Int) async throws(LedgerError) -> [RunRecord] {
        let (runs, isOdd): ([RunRecord], Bool) = try await OwnThread.run { () throws(LedgerError) in
            try self.read(([], false)) { db in
                let sql = "SELECT runs.* FROM \(Self.waiting) ORDER BY seq"
                var isOdd = false
                let rows = try Row.fetchCursor(db, sql: sql, arguments: [station])
                var runs: [RunRecord] = []
                while runs.count < limit, let row = try rows.next() {
                    if let run = self.record(row) { runs.append(run) } else { isOdd = true }
                }
                return (runs, isOdd)
            }
        }
        if isOdd { try await park() }
        return runs
    }

    /// What cannot be read waits no more, until somebody has mended it.
    private func park() async throws(LedgerError) {
        let numbers = state.withLock { $0.odd.map(\.number) }
        try await change { db in
            let sql = "UPDATE outbox SET rejected = ? WHERE sent_at IS NULL AND run IN (SELECT id FROM runs WHERE number = ?)"
            for number in numbers { try db.execute(sql: sql, arguments: ["the row of this run is no record", number]) }
        }
    }

    public func unsentCount(station: String) async throws(LedgerError) -> Int {
        try await OwnThread.run { () throws(LedgerError) in
            try self.read(0) { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(Self.waiting)", arguments: [station]) ?? 0 }
        }
    }

    public func rejected(station: String) async throws(LedgerError) -> [RejectedRun] {
        try await OwnThread.run { () throws(LedgerError) in
            try self.read([]) { db in
                let sql = "SELECT run, rejected FROM outbox JOIN runs ON runs.id = run WHERE sent_at IS NULL AND rejected IS NOT NULL AND station = ? ORDER BY seq"
                return try Row.fetchAll(db, sql: sql, arguments: [station]).compactMap { row in
                    RunID(String.fromDatabaseValue(row["run"]) ?? "").map { RejectedRun(id: $0, reason: String.fromDatabaseValue(row["rejected"]) ?? "") }
                }
            }
        }
    }

    public func unsentElsewhere(than station: String) async throws(LedgerError) -> [String: Int] {
        try await OwnThread.run { () throws(LedgerError) in
            try self.read([:]) { try Self.counts($0, "station <> ?", [station]) }
        }
    }

    /// - Returns: how many runs are not sent, by station.
    static func counts(_ db: Database, _ condition: String, _ arguments: StatementArguments = []) throws -> [String: Int] {
        let sql = "SELECT station, count(*) FROM outbox JOIN runs ON runs.id = run WHERE sent_at IS NULL AND \(condition) GROUP BY station"
        let rows = try Row.fetchAll(db, sql: sql, arguments: arguments)
        return Dictionary(rows.map { (String.fromDatabaseValue($0[0]) ?? "", Int.fromDatabaseValue($0[1]) ?? 0) }) { $0 + $1 }
    }

    public func markSent(_ ids: [RunID]) async throws(LedgerError) {
        let time = now().microseconds
        try await change { db in
            let statement = try db.makeStatement(sql: "UPDATE outbox SET sent_at = ?, rejected = NULL WHERE run = ? AND sent_at IS NULL")
            for id in ids { try statement.execute(arguments: [time, "\(id)"]) }
        }
    }

    public func markRejected(_ runs: [RejectedRun]) async throws(LedgerError) {
        try await change { db in
            for run in runs {
                let reason = RecordText.required(run.reason)
                try db.execute(sql: "UPDATE outbox SET rejected = ? WHERE run = ? AND sent_at IS NULL", arguments: [reason, "\(run.id)"])
            }
        }
    }

    @discardableResult
    public func retryRejected(station: String) async throws(LedgerError) -> Int {
        try await change { db in
            let sql = "UPDATE outbox SET rejected = NULL WHERE rejected IS NOT NULL AND run IN (SELECT id FROM runs WHERE station = ?)"
            try db.execute(sql: sql, arguments: [station])
            return db.changesCount
        } ?? 0
    }

    public func lastNumber(station: String) async throws(LedgerError) -> RunNumber? {
        try await OwnThread.run { () throws(LedgerError) in
            try self.read(nil) { db in
                let sql = "SELECT epoch, last_seq FROM ledger, stations WHERE name = ? AND last_seq > 0"
                return try Row.fetchOne(db, sql: sql, arguments: [station]).map { row in
                    RunNumber(epoch: String.fromDatabaseValue(row["epoch"]) ?? "", seq: Int64.fromDatabaseValue(row["last_seq"]) ?? 0)
                }
            }
        }
    }

    private static let waiting = "outbox JOIN runs ON runs.id = outbox.run WHERE sent_at IS NULL AND rejected IS NULL AND station = ?"

    /// - Returns: `nil` where no run was ever recorded.
    @discardableResult
    private func change<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws(LedgerError) -> Value? {
        try await OwnThread.run { () throws(LedgerError) in
            try self.reported { try self.writing { try $0.pool.write(body) } }
        }
    }
}
