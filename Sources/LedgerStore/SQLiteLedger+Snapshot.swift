import GRDB
import Ledger

extension SQLiteLedger {
    /// Runs `body`, on a thread of its own, with the ledger as it is at one moment, whatever is written meanwhile.
    /// - Throws: ``LedgerError``, and what `body` throws.
    public func atOneMoment<Value: Sendable>(_ body: @escaping @Sendable (any RunSource) throws -> Value) async throws -> Value {
        try await OwnThread.run {
            guard let database = try self.forReading() else { return try body(ListedRuns([])) }
            do {
                return try database.pool.read { try body(SQLiteRuns(ledger: self, db: $0)) }
            } catch let error as DatabaseError {
                throw StorageFault(error).error(self.files)
            }
        }
    }
}

/// The rows of one transaction, one at a time.
private struct SQLiteRuns: RunSource {
    let ledger: SQLiteLedger
    let db: Database

    func forEach(_ filter: RunFilter, of part: RunPart?, _ body: (RunRecord) throws -> Void) throws {
        let (condition, arguments) = RunConditions.sql(filter, of: part)
        let rows = try Row.fetchCursor(db, sql: "SELECT * FROM runs WHERE \(condition) ORDER BY number", arguments: arguments)
        while let row = try rows.next() {
            if let run = ledger.record(row) { try body(run) }
        }
    }
}
