import GRDB
import Ledger
import Synchronization

/// The runs that wait for the server. A run enters when it is closed, and stays until the server has confirmed it.
extension SQLiteLedger: RunOutbox {
    public func unsent(station: String, limit: Int) async throws(LedgerError) -> [RunRecord] {
        let (runs, isOdd): ([RunRecord], Bool) = try await reading(([], false)) { db in
            var (runs, isOdd): ([RunRecord], Bool) = ([], false)
            let rows = try Row.fetchCursor(db, sql: "SELECT runs.* FROM \(Self.waiting) ORDER BY seq", arguments: [station])
            while runs.count < limit, let row = try rows.next() {
                if let run = self.record(row) { runs.append(run) } else { isOdd = true }
            }
            return (runs, isOdd)
        }
        if isOdd { try await park() }
        return runs
    }

    /// Keeps unreadable rows from blocking others until they are repaired.
    private func park() async throws(LedgerError) {
        let numbers = state.withLock { $0.odd.map(\.number) }
        try await change { db in
            let sql = "UPDATE outbox SET rejected = ? WHERE sent_at IS NULL AND run IN (SELECT id FROM runs WHERE number = ?)"
            for number in numbers { try db.execute(sql: sql, arguments: ["the row of this run is not a record", number]) }
        }
    }

    public func unsentCount(station: String) async throws(LedgerError) -> Int {
        try await reading(0) { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(Self.waiting)", arguments: [station]) ?? 0 }
    }

    /// Runs that the server refused, in the order of `seq`.
    public func rejected(station: String) async throws(LedgerError) -> [RejectedRun] {
        try await reading([]) { db in
            let sql = "SELECT run, rejected FROM \(Self.unsent) AND rejected IS NOT NULL AND station = ? ORDER BY seq"
            return try Row.fetchAll(db, sql: sql, arguments: [station]).compactMap { row in
                RunID(row.text("run")).map { RejectedRun(id: $0, reason: row.text("rejected")) }
            }
        }
    }

    /// The waiting runs of each other station.
    public func unsentElsewhere(than station: String) async throws(LedgerError) -> [String: Int] {
        try await reading([:]) { try Self.counts($0, "station <> ?", [station]) }
    }

    static func counts(_ db: Database, _ condition: String, _ arguments: StatementArguments = []) throws -> [String: Int] {
        let sql = "SELECT station, count(*) AS runs FROM \(unsent) AND \(condition) GROUP BY station"
        let rows = try Row.fetchAll(db, sql: sql, arguments: arguments)
        return Dictionary(rows.map { ($0.text("station"), Int($0.number("runs") ?? 0)) }) { $0 + $1 }
    }

    public func markSent(_ ids: [RunID]) async throws(LedgerError) {
        let time = now().microseconds
        try await change { db in
            let statement = try db.makeStatement(sql: "UPDATE outbox SET sent_at = ?, rejected = NULL WHERE run = ? AND sent_at IS NULL")
            for id in ids { try statement.execute(arguments: [time, "\(id)"]) }
        }
    }

    public func markRejected(_ run: RejectedRun) async throws(LedgerError) {
        try await change { db in
            let reason = RecordText.required(run.reason)
            try db.execute(sql: "UPDATE outbox SET rejected = ? WHERE run = ? AND sent_at IS NULL", arguments: [reason, "\(run.id)"])
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
        try await reading(nil) { db in
            let sql = "SELECT epoch, last_seq FROM ledger, stations WHERE name = ? AND last_seq > 0"
            let row = try Row.fetchOne(db, sql: sql, arguments: [station])
            return row.map { RunNumber(epoch: $0.text("epoch"), seq: $0.number("last_seq") ?? 0) }
        }
    }

    private static let unsent = "outbox JOIN runs ON runs.id = outbox.run WHERE sent_at IS NULL"
    private static let waiting = "\(unsent) AND rejected IS NULL AND station = ?"

    /// - Returns: `nil` when no run was ever recorded.
    @discardableResult
    private func change<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws(LedgerError) -> Value? {
        try await OwnThread.run { () throws(LedgerError) in
            try self.reported { try self.writing { try $0.pool.write(body) } }
        }
    }
}
