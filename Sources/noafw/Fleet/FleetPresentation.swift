import Bluetooth
import Provisioning
import Support

/// How a run ended.
struct FleetRunResult<Report: RecordedReport>: Sendable {
    var report: FleetReport<Report>
    /// What ended the run from outside or before there was a unit; it outranks the units' own errors.
    var error: Diagnosis?
    var isInterrupted = false
    var seconds: Double
    /// What the events of each unit told, by its name; all that is known where there is no report.
    var known: [String: ProgressModel] = [:]

    func known(_ entry: FleetEntry<Report>) -> ProgressModel { known[entry.unit.id] ?? ProgressModel() }

    func identity(_ entry: FleetEntry<Report>) -> UnitIdentity? { entry.report?.identity ?? known(entry).identity }

    /// Whether the unit was worked on.
    func hasBegun(_ entry: FleetEntry<Report>) -> Bool {
        switch entry.result {
        case .inUse, .skipped: false
        case .passed, .wasCurrent, .failed, .interrupted, .notReached, .notStarted: entry.report != nil || known(entry).stage != nil
        }
    }

    var passed: Bool { error == nil && report.passed }
}

/// One verb's results for one unit or for several.
protocol FleetPresentation: RunPresentation where Report == FleetReport<UnitVerdict>, Result == FleetRunResult<UnitVerdict> {
    associatedtype UnitVerdict: RecordedReport

    /// The only unit; `nil` for several.
    var single: ReportTarget? { get }
    var mayChangeUnit: Bool { get }
    /// Whether a drain is how the run ends anyway, and no interruption.
    var endsByDrain: Bool { get }
    /// What it means that there was no unit.
    var emptiness: Diagnosis { get }
}

extension FleetPresentation {
    var isSingle: Bool { single != nil }
    var endsByDrain: Bool { false }
    var emptiness: Diagnosis { UnitSelectionError.none.diagnosis }

    func result(of outcome: Supervisor.Outcome<Report>, _ end: RunEnd) -> Result {
        if let single { return result(of: outcome, single, end) }
        let known = end.progress.models
        switch outcome {
        case .finished(let report):
            return Result(
                report: report, error: report.entries.isEmpty && report.stop == nil ? emptiness : nil,
                isInterrupted: !endsByDrain && end.context.interrupts.drain.isAsked && !report.passed, seconds: end.seconds,
                known: known)
        case .failed(let error):
            // What came of the units before is not lost with the run.
            let error = diagnose(error)
            let entries = end.progress.entries(UnitVerdict.self, interruption: error)
            return Result(report: Report(entries: entries), error: error, seconds: end.seconds, known: known)
        case .interrupted(let report?): return Result(report: report, isInterrupted: true, seconds: end.seconds, known: known)
        case .interrupted(nil):
            let interruption = CommandError.unitInterrupted.diagnosis
            let entries = end.progress.entries(UnitVerdict.self, interruption: interruption)
            // Units of which nothing was heard yet had no turn.
            let error =
                entries.isEmpty ? CommandError.nothingBegun.diagnosis : entries.allSatisfy { $0.verdict == .pass } ? interruption : nil
            return Result(report: Report(entries: entries), error: error, isInterrupted: true, seconds: end.seconds, known: known)
        }
    }

    private func result(of outcome: Supervisor.Outcome<Report>, _ target: ReportTarget, _ end: RunEnd) -> Result {
        let known = end.progress.single
        var result = Result(report: Report(entries: []), seconds: end.seconds)
        switch outcome {
        case .finished(let report): result.report = report
        case .failed(let error):
            result.error = diagnose(error)
            result.report.entries = [entry(target, known, UnitResult(error))]
        // It came while the record was sent.
        case .interrupted(nil) where end.progress.singlePassed: result.report.entries = [entry(target, known, .passed)]
        case .interrupted(let report):
            let interruption = known.interruption(mayChangeUnit: mayChangeUnit, arguments: end.context.arguments)
            result.error = interruption
            let reported = report?.entries.filter { $0.report != nil } ?? []
            result.report.entries = reported.isEmpty ? [entry(target, known, .interrupted(interruption))] : reported
        }
        for entry in result.report.entries { result.known[entry.unit.id] = known }
        return result
    }

    private func entry(_ target: ReportTarget, _ known: ProgressModel, _ result: UnitResult) -> FleetEntry<UnitVerdict> {
        let address = known.identity?.address
        let unit = FleetUnit(id: target.id ?? address?.description ?? "", address: address, family: known.family ?? target.family)
        return FleetEntry(unit: unit, result: result)
    }

    /// The error that counts for a single unit.
    func error(of result: Result) -> Diagnosis? { result.error ?? result.report.entries.first?.error }

    func errors(of result: Result) -> [Diagnosis] {
        isSingle ? error(of: result).map { [$0] } ?? [] : [result.error, result.report.stop].compactMap(\.self)
    }

    func passed(_ result: Result) -> Bool { result.passed }

    func exitCode(of result: Result) -> Int32 {
        if isSingle { return error(of: result)?.category.rawValue ?? (result.passed ? 0 : 1) }
        return result.error?.category.rawValue ?? result.report.exitCode(isInterrupted: result.isInterrupted)
    }
}

extension ProgressModel {
    /// How a signal leaves the unit, and what to run next.
    func interruption(mayChangeUnit: Bool, arguments: [String]) -> Diagnosis {
        let updated = steps.filter { $0.action == .updated }.map(\.component)
        let state = InterruptedState(mayChangeUnit: mayChangeUnit, stage: writingStage, updated: updated, arguments: arguments)
        return CommandError.interrupted(condition: state.condition, nextAction: state.nextAction).diagnosis
    }
}
