import GRDB
import Ledger

extension RunRecord: FetchableRecord, EncodableRecord {}

extension UTCTime: DatabaseValueConvertible {
    public var databaseValue: DatabaseValue { microseconds.databaseValue }
    public static func fromDatabaseValue(_ value: DatabaseValue) -> UTCTime? { Int64.fromDatabaseValue(value).map(UTCTime.init) }
}

extension JSONDocument: DatabaseValueConvertible {
    public var databaseValue: DatabaseValue { text.databaseValue }
    public static func fromDatabaseValue(_ value: DatabaseValue) -> JSONDocument? { String.fromDatabaseValue(value).map(JSONDocument.init) }
}

/// A row of the runs that is not a record: another program wrote it.
struct OddRow: Error, Sendable, Hashable {
    var number: Int64
    /// Empty when several together are wrong.
    var columns: [String]

    var text: String { "row \(number) (\(columns.isEmpty ? "several columns" : columns.joined(separator: ", ")))" }
}

struct RunRow: FetchableRecord, PersistableRecord {
    static let databaseTableName = "runs"

    var record: RunRecord
    var number: Int64?
    /// The ``ProcessMark`` of the process that has the run open.
    var owner: Int64

    init(_ record: RunRecord, number: Int64?, owner: Int64) { (self.record, self.number, self.owner) = (record, number, owner) }

    init(row: Row) throws {
        record = try Self.record(row)
        number = try row.decode(Int64.self, forColumn: "number")
        owner = try row.decode(Int64.self, forColumn: "owner")
    }

    func encode(to container: inout PersistenceContainer) throws {
        try record.encode(to: &container)
        container["number"] = number
        container["owner"] = owner
    }

    static func record(_ row: Row) throws(OddRow) -> RunRecord {
        do {
            return try RunRecord(row: row)
        } catch {
            throw OddRow(number: Int64.fromDatabaseValue(row["number"]) ?? 0, columns: oddColumns(row))
        }
    }

    /// The columns that alone prevent the row from being a record.
    private static func oddColumns(_ row: Row) -> [String] {
        let start = RunRecord(station: "-", unitAddress: "-", family: "-", verb: "-", toolVersion: "-", host: "-")
        guard let plain = try? start.databaseDictionary else { return [] }
        let values = Dictionary(row) { first, _ in first }
        return row.columnNames.filter { column in
            var mended = values
            mended[column] = plain[column] ?? .null
            return (try? RunRecord(row: Row(mended))) != nil
        }
    }
}
