import GRDB
import Ledger

extension RunRecord: FetchableRecord, EncodableRecord {}

/// A record with what only this file knows of it.
struct RunRow: FetchableRecord, PersistableRecord {
    static let databaseTableName = "runs"

    var record: RunRecord
    /// The ``ProcessMark`` of the process that has the run open.
    var owner: Int64

    init(_ record: RunRecord, owner: Int64) { (self.record, self.owner) = (record, owner) }

    init(row: Row) throws {
        record = try RunRecord(row: row)
        owner = row["owner"]
    }

    func encode(to container: inout PersistenceContainer) throws {
        try record.encode(to: &container)
        container["owner"] = owner
    }
}
