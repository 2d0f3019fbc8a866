import GRDB
import Ledger

/// A filter as a condition of SQL; every value is an argument.
struct RunConditions {
    private var conditions = ["TRUE"]
    private var arguments: [any DatabaseValueConvertible] = []

    static func sql(_ filter: RunFilter, of part: RunPart? = nil) -> (String, StatementArguments) {
        var all = RunConditions()
        all.add(filter)
        if let limit = filter.limit { all.keepNewest(limit) }
        if let part { all.add(part) }
        return (all.conditions.joined(separator: " AND "), StatementArguments(all.arguments))
    }

    private mutating func add(_ condition: String, _ values: any DatabaseValueConvertible...) {
        conditions.append(condition)
        arguments += values
    }

    private mutating func add(_ filter: RunFilter) {
        if let since = filter.since { add("started_at >= ?", since.microseconds) }
        if let until = filter.until { add("started_at < ?", until.microseconds) }
        if let id = filter.id { add("(substr(id, 1, length(?)) = ? OR substr(id, -length(?)) = ?)", id, id, id, id) }
        if let unit = filter.unit { add("(unit_address = ? OR serial = ?)", unit, unit) }
        if let serial = filter.serial { add("serial = ?", serial) }
        if let station = filter.station { add("station = ?", station) }
        if let verb = filter.verb { add("verb = ?", verb) }
        if let outcome = filter.outcome { add("outcome = ?", outcome.rawValue) }
        if let code = filter.code { add("code = ?", code) }
    }

    /// Of those that fit by then.
    private mutating func keepNewest(_ limit: Int) {
        let fitting = conditions.joined(separator: " AND ")
        conditions.append("number IN (SELECT number FROM runs WHERE \(fitting) ORDER BY number DESC LIMIT \(max(0, limit)))")
        arguments += arguments
    }

    private mutating func add(_ part: RunPart) {
        add("station = ? AND started_at BETWEEN ? AND ? AND outcome IS NOT NULL", part.station, part.first.microseconds, part.last.microseconds)
    }
}
