import Ledger

// Since when a unit is as it is.
extension ReportText {
    static func document(_ pass: PassedRun) -> JSONText {
        .object([("time", .string(pass.endedAt.iso8601)), ("verb", .string(pass.verb)), ("run", .string("\(pass.id)"))])
    }

    /// In UTC, as all times of the ledger.
    static func words(_ pass: PassedRun) -> String {
        "last passed \(pass.endedAt.iso8601.prefix(16).replacing("T", with: " ")) UTC (\(UntrustedText.escape(pass.verb)))"
    }
}
