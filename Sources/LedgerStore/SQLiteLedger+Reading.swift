import GRDB
import Ledger
import Synchronization

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
    /// Closed runs that the server has refused, by station.
    public var refusedRuns: [String: Int] = [:]
    public var spooledBytes = 0
    /// Folders of databases that were moved aside, not yet acknowledged.
    public var broken: [String] = []

    /// No runs are no verdict.
    public var isSound: Bool { runs > 0 && damages.isEmpty && gaps.isEmpty && refusedRuns.isEmpty && spooledBytes == 0 && broken.isEmpty }
}

extension SQLiteLedger: RunHistory {
    /// In the order of writing.
    public func runs(_ filter: RunFilter) async throws(LedgerError) -> [RunRecord] {
        try await OwnThread.run { () throws(LedgerError) in
            try self.read([]) { db in
                let (condition, arguments) = RunConditions.sql(filter)
                let rows = try Row.fetchCursor(db, sql: "SELECT * FROM runs WHERE \(condition) ORDER BY number", arguments: arguments)
                return try self.records(rows)
            }
        }
    }

    public func lastPass(of unitAddress: String) async throws(LedgerError) -> PassedRun? {
        try await OwnThread.run { () throws(LedgerError) in
            try self.read(nil) { db in
                let run = try self.records(try Row.fetchCursor(db, sql: Self.lastPass, arguments: [unitAddress]), limit: 1).first
                return run.map { PassedRun(id: $0.id, verb: $0.verb, endedAt: $0.endedAt ?? $0.startedAt) }
            }
        }
    }

    public func conflict(_ serial: String, at unitAddress: String) async throws(LedgerError) -> LedgerError? {
        try await OwnThread.run { () throws(LedgerError) in try self.read(nil) { try $0.conflict(serial, at: unitAddress) } }
    }

    public func isOver(_ run: RunID, station: String) async -> Bool {
        let isOver = try? await OwnThread.run { () throws(LedgerError) in
            try self.read(false) { db in
                let sql = "SELECT owner, outcome FROM runs WHERE id = ? AND station = ?"
                guard let row = try Row.fetchOne(db, sql: sql, arguments: ["\(run)", station]) else { return false }
                if String.fromDatabaseValue(row["outcome"]) != nil { return true }
                let mark = try self.state.withLock { try self.marked(&$0) }
                return Int64.fromDatabaseValue(row["owner"]).map { !mark.isAlive($0) } ?? false
            }
        }
        return isOver ?? false
    }

    /// Only the unit's own runs are looked at, however many there are of others.
    static let lastPass = """
        SELECT * FROM runs INDEXED BY runs_of_unit WHERE unit_address = ? AND outcome = 'pass' ORDER BY number DESC
        """

    /// What those who read should know.
    public var warnings: [LedgerNotice] {
        let bytes = spool.byteCount
        let waiting: [LedgerNotice] = bytes > 0 ? [.spoolWaits(bytes: bytes, path: files.spool)] : []
        return waiting + files.brokenFolders().map { .brokenMovedAside(path: $0) } + [unreadable].compactMap(\.self)
    }

    /// The rows that this process met and that are no records.
    public var unreadable: LedgerNotice? { LedgerNotice(odd: state.withLock(\.odd)) }

    /// What is no record is left out, and told (``unreadable``).
    func records(_ rows: RowCursor, limit: Int = .max) throws -> [RunRecord] {
        var records: [RunRecord] = []
        while records.count < limit, let row = try rows.next() {
            if let record = record(row) { records.append(record) }
        }
        return records
    }

    func record(_ row: Row) -> RunRecord? {
        do {
            return try RunRow.record(row)
        } catch {
            state.withLock { _ = $0.odd.insert(error) }
            return nil
        }
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
            try self.reported { try self.files.acknowledgeBroken() }
        }
    }

    func read<Value>(_ nothing: Value, _ body: (Database) throws -> Value) throws(LedgerError) -> Value {
        guard let database = try forReading() else { return nothing }
        return try reported { try database.pool.read(body) }
    }

    private static func check(_ db: Database) throws -> LedgerCheck {
        var check = LedgerCheck()
        check.damages = try String.fetchAll(db, sql: "PRAGMA integrity_check").filter { $0 != "ok" }
        check.damages += try Row.fetchAll(db, sql: "PRAGMA foreign_key_check").map { "a row of \($0[0] ?? "a table") refers to nothing" }
        if try Int.fetchOne(db, sql: "SELECT count(*) FROM ledger") != 1 { check.damages.append("the row that numbers this ledger is missing") }
        check.runs = try Int.fetchOne(db, sql: "SELECT count(*) FROM runs") ?? 0
        check.openRuns = try Int.fetchOne(db, sql: "SELECT count(*) FROM runs WHERE outcome IS NULL") ?? 0
        check.refusedRuns = try counts(db, "rejected IS NOT NULL")
        check.gaps = try Row.fetchAll(db, sql: gaps).map { row in
            // Behind the greatest number SQLite counts on with floating point.
            let (first, last) = (Int64.fromDatabaseValue(row["first"]) ?? .max, Int64.fromDatabaseValue(row["last"]) ?? .max)
            return LedgerCheck.Gap(station: String.fromDatabaseValue(row["station"]) ?? "", missing: first...max(first, last))
        }
        check.damages += try odd(db).map { "\($0.text) is no record" }
        return check
    }

    private static func odd(_ db: Database) throws -> [OddRow] {
        let rows = try Row.fetchCursor(db, sql: "SELECT * FROM runs ORDER BY number")
        var odd: [OddRow] = []
        while let row = try rows.next() {
            do throws(OddRow) { _ = try RunRow.record(row) } catch { odd.append(error) }
        }
        return odd
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

extension LedgerNotice {
    /// `nil` where there are none.
    init?(odd rows: Set<OddRow>) {
        guard !rows.isEmpty else { return nil }
        self = .oddRows(rows.sorted { $0.number < $1.number }.map(\.text))
    }
}
