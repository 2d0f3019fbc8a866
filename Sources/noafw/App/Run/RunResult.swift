import Support

/// How a run ended.
struct RunResult<Report: Verdict>: Sendable {
    /// Absent when the run ended before there was one.
    var report: Report?
    /// What ended the run from outside or before a report; it outranks the report's own error.
    var error: Diagnosis?
    var progress: ProgressModel
    var seconds: Double

    /// Whether a unit was worked on.
    var hasBegun: Bool { report != nil || progress.stage != nil }
}

/// One verb's results as text.
protocol RunPresentation: Sendable {
    associatedtype Report: Verdict

    /// The error that counts.
    func error(of result: RunResult<Report>) -> Diagnosis?
    func document(_ result: RunResult<Report>) -> JSONText
    func summary(_ result: RunResult<Report>, style: TextStyle) -> [String]
}
