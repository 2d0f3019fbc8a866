import Ledger
import Provisioning

// Which run it was, and since when a unit is as it is.
extension ReportText {
    static func document(_ pass: PassedRun) -> JSONText {
        .object([("time", .string(pass.endedAt.iso8601)), ("verb", .string(pass.verb)), ("run", .string("\(pass.id)"))])
    }

    /// Which run it was, for a system that keeps track of units; `null` for one that is not recorded.
    static func document(_ run: RunIdentity?) -> JSONText { run.map { .document(JSONWriter.text($0)) } ?? .null }

    static func words(_ pass: PassedRun) -> String { "last passed \(when(pass.endedAt, pass.verb))" }

    /// In UTC, as all times of the ledger.
    static func when(_ time: UTCTime, _ verb: String) -> String {
        "\(time.iso8601.prefix(16).replacing("T", with: " ")) UTC (\(UntrustedText.escape(verb)))"
    }
}

extension RunIdentity {
    init(_ record: RunRecord) {
        self.init(
            id: "\(record.id)", station: record.station, operator: record.operatorName, serial: record.serial, order: record.workOrder,
            started: record.startedAt.iso8601, ended: record.endedAt?.iso8601)
    }
}
