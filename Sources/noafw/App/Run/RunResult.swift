import Support

/// How a run ended.
struct RunResult<Report: Verdict>: Sendable {
    /// Absent when the run ended before there was one.
    var report: Report?
    /// What ended the run from outside or before a report; it outranks the report's own error.
    var error: Diagnosis?
    var progress: ProgressModel
    var seconds: Double

    /// What a fleet would say of the unit, where nothing was done to it.
    var leftAlone: FleetVerdict?

    /// Whether a unit was worked on.
    var hasBegun: Bool { leftAlone == nil && (report != nil || progress.stage != nil) }

    /// The unit's verdict in the documents.
    func verdict(passed: Bool) -> JSONText { .optional((leftAlone ?? (passed ? .pass : .fail)).document) }
}

/// One verb's results as text.
protocol RunPresentation: Sendable {
    associatedtype Report: Verdict

    /// The error that counts.
    func error(of result: RunResult<Report>) -> Diagnosis?
    func document(_ result: RunResult<Report>) -> JSONText
    func summary(_ result: RunResult<Report>, style: TextStyle) -> [String]
}
