import Provisioning
import Support

/// How a fleet's run ended.
struct FleetRunResult<Report: Verdict>: Sendable {
    var report: FleetReport<Report>
    /// What ended the run before there was a fleet.
    var error: Diagnosis?
    var isInterrupted = false
    var seconds: Double

    var passed: Bool { error == nil && report.passed }
}

/// One verb's results for a fleet.
protocol FleetPresentation: RunPresentation where Report == FleetReport<UnitVerdict>, Result == FleetRunResult<UnitVerdict> {
    associatedtype UnitVerdict: Verdict

    /// Whether a drain is how the run ends anyway, and no interruption.
    var endsByDrain: Bool { get }
    /// What it means that there was no unit.
    var emptiness: Diagnosis { get }
}

extension FleetPresentation {
    var isSingle: Bool { false }
    var endsByDrain: Bool { false }
    var emptiness: Diagnosis { UnitSelectionError.none.diagnosis }

    func result(of outcome: Supervisor.Outcome<Report>, _ end: RunEnd) -> Result {
        switch outcome {
        case .finished(let report):
            return Result(
                report: report, error: report.entries.isEmpty && report.stop == nil ? emptiness : nil,
                isInterrupted: !endsByDrain && end.context.interrupts.drain.isAsked && !report.passed, seconds: end.seconds)
        case .failed(let error):
            // What came of the units before is not lost with the run.
            let error = diagnose(error)
            return Result(report: Report(entries: end.progress.entries(UnitVerdict.self, interruption: error)), error: error, seconds: end.seconds)
        case .interrupted(let report?): return Result(report: report, isInterrupted: true, seconds: end.seconds)
        case .interrupted(nil):
            let interruption = CommandError.unitInterrupted.diagnosis
            let entries = end.progress.entries(UnitVerdict.self, interruption: interruption)
            // Units of which nothing was heard yet had no turn.
            let error = entries.isEmpty ? CommandError.nothingBegun.diagnosis : entries.allSatisfy { $0.verdict == .pass } ? interruption : nil
            return Result(report: Report(entries: entries), error: error, isInterrupted: true, seconds: end.seconds)
        }
    }

    func errors(of result: Result) -> [Diagnosis] { [result.error, result.report.stop].compactMap(\.self) }

    func passed(_ result: Result) -> Bool { result.passed }

    func exitCode(of result: Result) -> Int32 {
        result.error?.category.rawValue ?? result.report.exitCode(isInterrupted: result.isInterrupted)
    }
}
