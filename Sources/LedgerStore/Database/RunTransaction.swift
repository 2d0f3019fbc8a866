import GRDB
import Ledger

struct RunTransaction {
    let db: Database
    let mark: ProcessMark

    /// - Returns: the stored state: the record or a newer one.
    func put(_ record: RunRecord, owner: Int64) throws -> RunRecord {
        let known = try RunRow.fetchOne(db, sql: "SELECT * FROM runs WHERE id = ?", arguments: ["\(record.id)"])
        if let known, !known.record.isOpen || known.record.revision >= record.revision { return known.record }
        var next = record
        try addStation(record.station)
        if let known {
            next.attemptOf = known.record.attemptOf
        } else if next.attemptOf == nil {
            next.attemptOf = try firstAttempt(of: record)
        }
        if !record.isOpen { (next.seq, next.epoch) = (try nextSeq(record.station), try epoch()) }
        let row = RunRow(next, number: known?.number, owner: owner)
        if known == nil { try row.insert(db) } else { try row.update(db) }
        if !record.isOpen { try db.execute(sql: "INSERT INTO outbox (run) VALUES (?)", arguments: ["\(record.id)"]) }
        return next
    }

    /// A record that breaks the rules of the file.
    struct Misfit: Error {
        var reason: String
    }

    /// - Returns: the result of ``put(_:owner:)``, or why nothing was changed.
    func tryPut(_ record: RunRecord, owner: Int64) throws -> Result<RunRecord, Misfit> {
        do {
            var kept = record
            try db.inSavepoint {
                kept = try put(record, owner: owner)
                return .commit
            }
            return .success(kept)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
            return .failure(Misfit(reason: StorageFault(error).reason))
        } catch let error as OddRow {
            return .failure(Misfit(reason: "\(error.text) is not a record"))
        }
    }

    /// Closes each of the station's runs whose process is dead.
    /// - Returns: the closed runs, and rows that are not records.
    func closeAbandoned(station: String, at time: UTCTime) throws -> (closed: [RunRecord], odd: Set<OddRow>) {
        var (closed, odd): ([RunRecord], Set<OddRow>) = ([], [])
        let owners = try Int64.fetchAll(
            db, sql: "SELECT DISTINCT owner FROM runs WHERE station = ? AND outcome IS NULL", arguments: [station])
        for owner in owners.filter({ !mark.isAlive($0) }) {
            let open = "SELECT * FROM runs WHERE station = ? AND owner = ? AND outcome IS NULL ORDER BY number"
            for row in try Row.fetchAll(db, sql: open, arguments: [station, owner]) {
                do {
                    var record = try RunRow.record(row)
                    record.close(.abandoned, at: time, elapsed: nil)
                    switch try tryPut(record, owner: owner) {
                    case .success(let kept): closed.append(kept)
                    case .failure(let misfit):
                        odd.insert(OddRow(number: Int64.fromDatabaseValue(row["number"]) ?? 0, columns: [misfit.reason]))
                    }
                } catch let error as OddRow {
                    odd.insert(error)
                }
            }
        }
        return (closed, odd)
    }

    /// In the order of writing: the clock may have been set back since.
    private func firstAttempt(of record: RunRecord) throws -> RunID? {
        let id = try String.fetchOne(
            db, sql: "SELECT id FROM runs WHERE unit_address = ? AND station = ? AND verb = ? ORDER BY number LIMIT 1",
            arguments: [record.unitAddress, record.station, record.verb])
        return id.flatMap { RunID($0) }
    }

    private func addStation(_ name: String) throws {
        try db.execute(sql: "INSERT OR IGNORE INTO stations (name) VALUES (?)", arguments: [name])
    }

    private func nextSeq(_ station: String) throws -> Int64? {
        try Int64.fetchOne(db, sql: "UPDATE stations SET last_seq = last_seq + 1 WHERE name = ? RETURNING last_seq", arguments: [station])
    }

    private func epoch() throws -> String? { try String.fetchOne(db, sql: "SELECT epoch FROM ledger") }
}

extension Database {
    /// - Returns: why a serial number is not the unit's. Invalid rows count, too.
    func conflict(_ serial: String, at unitAddress: String) throws -> LedgerError? {
        try SerialBinding.conflict(serial, at: unitAddress) { key in
            let (condition, value) =
                switch key {
                case .serial(let serial): ("serial = ?", serial)
                case .unit(let address): ("unit_address = ? AND serial IS NOT NULL", address)
                }
            let sql = "SELECT serial, unit_address, id FROM runs WHERE \(condition) ORDER BY number DESC LIMIT 1"
            return try Row.fetchOne(self, sql: sql, arguments: [value]).map { row in
                SerialBinding(serial: row.text("serial"), unitAddress: row.text("unit_address"), run: row.text("id"))
            }
        }
    }
}
