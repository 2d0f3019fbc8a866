import GRDB
import Ledger

/// What `ledger check` finds.
public struct LedgerCheck: Sendable, Hashable {
    public struct Gap: Sendable, Hashable {
        public var station: String
        /// The numbers that are missing.
        public var missing: ClosedRange<Int64>
    }

    /// What SQLite says of its file; empty when it is whole.
    public var damages: [String] = []
    public var gaps: [Gap] = []
    public var runs = 0
    public var openRuns = 0
    public var spooledBytes = 0
    /// Folders of databases that were moved aside, not yet acknowledged.
    public var broken: [String] = []

    public var isSound: Bool { damages.isEmpty && gaps.isEmpty && spooledBytes == 0 && broken.isEmpty }
}

extension SQLiteLedger: RunHistory {
    /// In the order of writing.
    public func runs(_ filter: RunFilter) async throws(LedgerError) -> [RunRecord] {
        try await OwnThread.run { () throws(LedgerError) in
            try self.read([]) { db in
                let (condition, arguments) = RunConditions.sql(filter)
                return try RunRecord.fetchAll(db, sql: "SELECT * FROM runs WHERE \(condition) ORDER BY number", arguments: arguments)
            }
        }
    }

    public func lastPass(of unitAddress: String) async throws(LedgerError) -> PassedRun? {
        try await OwnThread.run { () throws(LedgerError) in
            try self.read(nil) { db in
                try Row.fetchOne(db, sql: Self.lastPass, arguments: [unitAddress]).flatMap { row in
                    let id = RunID(try row.decode(String.self, forColumn: "id"))
                    let (verb, time) = (try row.decode(String.self, forColumn: "verb"), try row.decode(Int64.self, forColumn: "ended_at"))
                    return id.map { PassedRun(id: $0, verb: verb, endedAt: UTCTime(microseconds: time)) }
                }
            }
        }
    }

    /// Only the unit's own runs are looked at, however many there are of others.
    static let lastPass = """
        SELECT id, verb, ended_at FROM runs INDEXED BY runs_of_unit WHERE unit_address = ? AND outcome = 'pass' ORDER BY number DESC LIMIT 1
        """

    /// What those who read should know.
    public var warnings: [LedgerNotice] {
        let bytes = spool.byteCount
        return (bytes > 0 ? [.spoolWaits(bytes: bytes, path: files.spool)] : []) + files.brokenFolders().map { .brokenMovedAside(path: $0) }
    }

    public func check() async throws(LedgerError) -> LedgerCheck {
        try await OwnThread.run { () throws(LedgerError) in
            var check = try self.read(LedgerCheck(), Self.check)
            check.spooledBytes = self.spool.byteCount
            check.broken = self.files.brokenFolders()
            return check
        }
    }

    /// Ends the warning of every run about databases that were moved aside; their files stay.
    /// - Returns: where they are.
    public func acknowledgeBroken() async throws(LedgerError) -> [String] {
        try await OwnThread.run { () throws(LedgerError) in
            do {
                return try self.files.acknowledgeBroken()
            } catch {
                throw .unreadable(path: self.files.folder, reason: StorageFault(error).reason)
            }
        }
    }

    func read<Value>(_ nothing: Value, _ body: (Database) throws -> Value) throws(LedgerError) -> Value {
        guard let database = try forReading() else { return nothing }
        do {
            return try database.pool.read(body)
        } catch {
            throw .unreadable(path: files.database, reason: StorageFault(error).reason)
        }
    }

    private static func check(_ db: Database) throws -> LedgerCheck {
        var check = LedgerCheck()
        check.damages = try String.fetchAll(db, sql: "PRAGMA integrity_check").filter { $0 != "ok" }
        check.damages += try Row.fetchAll(db, sql: "PRAGMA foreign_key_check").map { "a row of \($0[0] ?? "a table") refers to nothing" }
        check.runs = try Int.fetchOne(db, sql: "SELECT count(*) FROM runs") ?? 0
        check.openRuns = try Int.fetchOne(db, sql: "SELECT count(*) FROM runs WHERE outcome IS NULL") ?? 0
        check.gaps = try Row.fetchAll(db, sql: gaps).map { row in
            let (first, last) = (try row.decode(Int64.self, forColumn: "first"), try row.decode(Int64.self, forColumn: "last"))
            return LedgerCheck.Gap(station: try row.decode(String.self, forColumn: "station"), missing: first...max(first, last))
        }
        return check
    }

    /// Between the numbers that are there, 0, and the one behind the last that was given.
    private static let gaps = """
        WITH numbers (station, seq) AS (
            SELECT station, seq FROM runs WHERE seq IS NOT NULL
            UNION ALL SELECT name, 0 FROM stations
            UNION ALL SELECT name, last_seq + 1 FROM stations
        ), pairs AS (SELECT station, seq, lead(seq) OVER (PARTITION BY station ORDER BY seq) AS next FROM numbers)
        SELECT station, seq + 1 AS first, next - 1 AS last FROM pairs WHERE next > seq + 1 ORDER BY station, first
        """
}
