import GRDB
import Ledger

enum RunConditions {
    static func sql(_ filter: RunFilter, of part: RunPart? = nil) -> (String, StatementArguments) {
        var conditions: [(sql: String, values: [any DatabaseValueConvertible])] = [("TRUE", [])]
        func add<Value: DatabaseValueConvertible>(_ sql: String, _ value: Value?, times: Int = 1) {
            if let value { conditions.append((sql, Array(repeating: value, count: times))) }
        }
        add("started_at >= ?", filter.since)
        add("(substr(id, 1, length(?)) = ? OR substr(id, -length(?)) = ?)", filter.id, times: 4)
        add("(unit_address = ? OR serial = ?)", filter.unit, times: 2)
        add("serial = ?", filter.serial)
        add("station = ?", filter.station)
        add("verb = ?", filter.verb)
        add("outcome = ?", filter.outcome?.rawValue)
        add("code = ?", filter.code)
        if let limit = filter.limit {
            // The newest of those that match so far.
            let fitting = conditions.map(\.sql).joined(separator: " AND ")
            let newest = "number IN (SELECT number FROM runs WHERE \(fitting) ORDER BY number DESC LIMIT \(max(0, limit)))"
            conditions.append((newest, conditions.flatMap(\.values)))
        }
        if let part {
            let sql = "station = ? AND started_at BETWEEN ? AND ? AND outcome IS NOT NULL"
            conditions.append((sql, [part.station, part.first, part.last]))
        }
        return (conditions.map(\.sql).joined(separator: " AND "), StatementArguments(conditions.flatMap(\.values)))
    }
}
