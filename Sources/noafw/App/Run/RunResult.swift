import Provisioning
import Support

/// How a run of one unit ended.
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

/// One verb's results for one unit.
protocol UnitPresentation: RunPresentation where Result == RunResult<Report> {
    var mayChangeUnit: Bool { get }

    /// The error that counts.
    func error(of result: RunResult<Report>) -> Diagnosis?
}

extension UnitPresentation {
    var isSingle: Bool { true }

    func result(of outcome: Supervisor.Outcome<Report>, _ end: RunEnd) -> RunResult<Report> {
        let progress = end.progress.single
        var result = RunResult<Report>(progress: progress, seconds: end.seconds)
        switch outcome {
        case .finished(let report): result.report = report
        case .failed(let error): (result.error, result.leftAlone) = (diagnose(error), FleetVerdict(leavingAlone: error, leavesOthers: false))
        case .interrupted(let report):
            result.report = report
            result.error = progress.interruption(mayChangeUnit: mayChangeUnit, arguments: end.context.arguments)
        }
        return result
    }

    func errors(of result: RunResult<Report>) -> [Diagnosis] { error(of: result).map { [$0] } ?? [] }

    func passed(_ result: RunResult<Report>) -> Bool { error(of: result) == nil && result.report?.passed == true }

    func exitCode(of result: RunResult<Report>) -> Int32 { error(of: result)?.category.rawValue ?? (result.report?.passed == true ? 0 : 1) }
}

extension ProgressModel {
    /// How a signal leaves the unit, and what to run next.
    func interruption(mayChangeUnit: Bool, arguments: [String]) -> Diagnosis {
        let updated = steps.filter { $0.action == .updated }.map(\.component)
        let state = InterruptedState(mayChangeUnit: mayChangeUnit, stage: writingStage, updated: updated, arguments: arguments)
        return CommandError.interrupted(condition: state.condition, nextAction: state.nextAction).diagnosis
    }
}
