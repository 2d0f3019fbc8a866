import Ledger

// Which run it was, and since when a unit is as it is.
extension ReportText {
    static func document(_ pass: PassedRun) -> JSONText {
        .object([("time", .string(pass.endedAt.iso8601)), ("verb", .string(pass.verb)), ("run", .string("\(pass.id)"))])
    }

    /// Which run it was, for a system that keeps track of units; `null` for one that is not recorded.
    static func document(_ record: RunRecord?) -> JSONText {
        guard let record else { return .null }
        return .object([
            ("id", .string("\(record.id)")), ("station", .string(record.station)), ("operator", .optional(record.operatorName)),
            ("serial", .optional(record.serial)), ("order", .optional(record.workOrder)), ("started", .string(record.startedAt.iso8601)),
            ("ended", .optional(record.endedAt?.iso8601)),
        ])
    }

    static func words(_ pass: PassedRun) -> String { "last passed \(when(pass.endedAt, pass.verb))" }

    /// In UTC, as all times of the ledger.
    static func when(_ time: UTCTime, _ verb: String) -> String {
        "\(time.iso8601.prefix(16).replacing("T", with: " ")) UTC (\(UntrustedText.escape(verb)))"
    }
}
