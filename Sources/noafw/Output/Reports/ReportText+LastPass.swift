import Ledger

// Since when a unit is as it is.
extension ReportText {
    static func document(_ pass: PassedRun) -> JSONText {
        .object([("time", .string(pass.endedAt.iso8601)), ("verb", .string(pass.verb)), ("run", .string("\(pass.id)"))])
    }

    static func words(_ pass: PassedRun) -> String { "last passed \(when(pass.endedAt, pass.verb))" }

    /// In UTC, as all times of the ledger.
    static func when(_ time: UTCTime, _ verb: String) -> String {
        "\(time.iso8601.prefix(16).replacing("T", with: " ")) UTC (\(UntrustedText.escape(verb)))"
    }
}
