import GRDB
import Ledger

extension RunRecord: FetchableRecord, EncodableRecord {}

/// A record with what only this file knows of it.
struct RunRow: FetchableRecord, PersistableRecord {
    static let databaseTableName = "runs"

    var record: RunRecord
    /// The order of writing; given by the file.
    var number: Int64?
    /// The ``ProcessMark`` of the process that has the run open.
    var owner: Int64

    init(_ record: RunRecord, number: Int64?, owner: Int64) { (self.record, self.number, self.owner) = (record, number, owner) }

    init(row: Row) throws {
        record = try RunRecord(row: row)
        number = try row.decode(Int64.self, forColumn: "number")
        owner = try row.decode(Int64.self, forColumn: "owner")
    }

    func encode(to container: inout PersistenceContainer) throws {
        try record.encode(to: &container)
        container["number"] = number
        container["owner"] = owner
    }
}
