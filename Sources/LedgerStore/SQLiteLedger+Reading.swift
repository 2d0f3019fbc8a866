import GRDB
import Ledger
import Synchronization

public struct LedgerCheck: Sendable, Hashable {
    public struct Gap: Sendable, Hashable {
        public var station: String
        public var missing: ClosedRange<Int64>
    }

    /// SQLite's findings in its file; empty when it is intact.
    public var damages: [String] = []
    public var gaps: [Gap] = []
    public var runs = 0
    public var openRuns = 0
    /// Closed runs that the server refused, by station.
    public var refusedRuns: [String: Int] = [:]
    public var spooledBytes = 0
    /// Unacknowledged folders of databases that were moved aside.
    public var broken: [String] = []

    /// An empty ledger is not sound.
    public var isSound: Bool { runs > 0 && damages.isEmpty && gaps.isEmpty && refusedRuns.isEmpty && spooledBytes == 0 && broken.isEmpty }
}

extension SQLiteLedger {
    public func runs(_ filter: RunFilter = RunFilter()) async throws(LedgerError) -> [RunRecord] {
        try await reading([]) { db in
            var runs: [RunRecord] = []
            try SQLiteRuns(ledger: self, db: db).forEach(filter, of: nil) { runs.append($0) }
            return runs
        }
    }

    public func lastPass(of unitAddress: String) async throws(LedgerError) -> PassedRun? {
        try await reading(nil) { db in
            let rows = try Row.fetchCursor(db, sql: Self.lastPass, arguments: [unitAddress])
            while let row = try rows.next() {
                if let run = self.record(row) { return PassedRun(id: run.id, verb: run.verb, endedAt: run.endedAt ?? run.startedAt) }
            }
            return nil
        }
    }

    public func conflict(_ serial: String, at unitAddress: String) async throws(LedgerError) -> LedgerError? {
        try await reading(nil) { try $0.conflict(serial, at: unitAddress) }
    }

    public func isOver(_ run: RunID, station: String) async -> Bool {
        let isOver = try? await reading(false) { db in
            let sql = "SELECT owner, outcome FROM runs WHERE id = ? AND station = ?"
            guard let row = try Row.fetchOne(db, sql: sql, arguments: ["\(run)", station]) else { return false }
            if String.fromDatabaseValue(row["outcome"]) != nil { return true }
            let mark = try self.state.withLock { try self.marked(&$0) }
            return row.number("owner").map { !mark.isAlive($0) } ?? false
        }
        return isOver ?? false
    }

    /// Reads only the unit's own runs, however many others there are.
    static let lastPass = """
        SELECT * FROM runs INDEXED BY runs_of_unit WHERE unit_address = ? AND outcome = 'pass' ORDER BY number DESC
        """

    public var warnings: [LedgerNotice] {
        let bytes = spool.byteCount
        let waiting: [LedgerNotice] = bytes > 0 ? [.spoolWaits(bytes: bytes, path: files.spool)] : []
        return waiting + files.brokenFolders().map { .brokenMovedAside(path: $0) } + [unreadable].compactMap(\.self)
    }

    /// The invalid rows that this process met.
    public var unreadable: LedgerNotice? { LedgerNotice(odd: state.withLock(\.odd)) }

    /// `nil`, and a notice (``unreadable``), for a row that is not a record.
    func record(_ row: Row) -> RunRecord? {
        do {
            return try RunRow.record(row)
        } catch {
            state.withLock { _ = $0.odd.insert(error) }
            return nil
        }
    }

    public func check() async throws(LedgerError) -> LedgerCheck {
        var check = try await reading(LedgerCheck(), Self.check)
        check.spooledBytes = spool.byteCount
        check.broken = files.brokenFolders()
        return check
    }

    /// Ends every run's warning about databases that were moved aside; their files stay.
    public func acknowledgeBroken() async throws(LedgerError) -> [String] {
        try reported { try files.acknowledgeBroken() }
    }

    /// - Parameter nothing: the result when no run was ever recorded.
    func reading<Value: Sendable>(
        _ nothing: Value, _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(LedgerError) -> Value {
        try await OwnThread.run { () throws(LedgerError) in
            guard let database = try self.forReading() else { return nothing }
            return try self.reported { try database.pool.read(body) }
        }
    }

    /// Runs `body`, on its own thread, with the ledger as it is at one moment, whatever is written meanwhile.
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

    @Sendable private static func check(_ db: Database) throws -> LedgerCheck {
        func count(_ table: String) throws -> Int { try Int.fetchOne(db, sql: "SELECT count(*) FROM \(table)") ?? 0 }
        var check = LedgerCheck()
        check.damages = try String.fetchAll(db, sql: "PRAGMA integrity_check").filter { $0 != "ok" }
        check.damages += try Row.fetchAll(db, sql: "PRAGMA foreign_key_check").map { "a row of \($0[0] ?? "a table") refers to nothing" }
        if try count("ledger") != 1 { check.damages.append("the row that numbers this ledger is missing") }
        (check.runs, check.openRuns) = (try count("runs"), try count("runs WHERE outcome IS NULL"))
        check.refusedRuns = try counts(db, "rejected IS NOT NULL")
        check.gaps = try Row.fetchAll(db, sql: gaps).map { row in
            // After the greatest number SQLite continues in floating point.
            let (first, last) = (row.number("first") ?? .max, row.number("last") ?? .max)
            return LedgerCheck.Gap(station: row.text("station"), missing: first...max(first, last))
        }
        let rows = try Row.fetchCursor(db, sql: "SELECT * FROM runs ORDER BY number")
        while let row = try rows.next() {
            do throws(OddRow) { _ = try RunRow.record(row) } catch { check.damages.append("\(error.text) is not a record") }
        }
        return check
    }

    private static let gaps = """
        WITH numbers (station, seq) AS (
            SELECT station, seq FROM runs WHERE seq IS NOT NULL
            UNION ALL SELECT name, 0 FROM stations
            UNION ALL SELECT name, last_seq + 1 FROM stations
        ), pairs AS (SELECT station, seq, lead(seq) OVER (PARTITION BY station ORDER BY seq) AS next FROM numbers)
        SELECT station, seq + 1 AS first, next - 1 AS last FROM pairs WHERE next > seq + 1 ORDER BY station, first
        """
}

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

extension Row {
    /// Empty when another program wrote something else.
    func text(_ column: String) -> String { String.fromDatabaseValue(self[column]) ?? "" }
    func number(_ column: String) -> Int64? { Int64.fromDatabaseValue(self[column]) }
}

extension LedgerNotice {
    init?(odd rows: Set<OddRow>) {
        guard !rows.isEmpty else { return nil }
        self = .oddRows(rows.sorted { $0.number < $1.number }.map(\.text))
    }
}
