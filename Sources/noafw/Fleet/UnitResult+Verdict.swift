import Bluetooth
import Ledger
import Provisioning
import ScriptBundle
import Support

extension UnitResult {
    var verdict: FleetVerdict {
        switch self {
        case .passed, .wasCurrent: .pass
        case .planned: .planned
        case .failed(let error): error.isOfUnit ? .fail : .error
        case .interrupted: .interrupted
        case .skipped: .notExpected
        case .inUse: .inUse
        case .notReached: .notReached
        case .notStarted: .notStarted
        }
    }

    /// What went wrong: nothing with a unit of which nothing was expected.
    var fault: Diagnosis? { isSkipped ? nil : error }

    /// Of work that ended before there was a report. Nothing was done to a unit that the files are not for, or that others work on.
    /// - Parameters:
    ///   - stop: why the work was cancelled.
    ///   - leavesOthers: whether a bundle of another family is no error.
    init(_ error: any Error, stop: StopReason? = nil, leavesOthers: Bool = false) {
        let diagnosis = stop?.diagnosis(of: error) ?? diagnose(error)
        self = switch error {
        case UnitSelectionError.otherFamily(let unit) where !unit.isSupported: .skipped(diagnosis)
        case CommandError.noSuchPart: .skipped(diagnosis)
        case BundleError.wrongFamily where leavesOthers, ComparisonError.notInBaseline where leavesOthers: .skipped(diagnosis)
        case ClaimError.taken, LinkError.busy: .inUse(diagnosis)
        default: UnitResult(diagnosis)
        }
    }
}

extension Diagnosis {
    /// Whether it says that the unit is bad.
    var isOfUnit: Bool { category == .unitFailed || fault == .unit }
}

extension FleetEntry {
    var verdict: FleetVerdict { result.verdict }
}

extension FleetEntry where Report: RecordedReport {
    init(unit: FleetUnit, report: Report, seconds: Double = 0, adapter: String? = nil) {
        self.init(unit: unit, result: report.result, report: report, seconds: seconds, adapter: adapter)
    }

    /// `nil` for a unit that passed, and for one whose report says what differs.
    var error: Diagnosis? { if let report { report.error } else { result.error } }
}

extension FleetReport: Verdict where Report: RecordedReport {}

extension FleetReport where Report: RecordedReport {
    /// By the contract: 1 for a unit that failed, 69 for nobody, the code of what was wrong with files and options, else 75.
    /// - Parameter isInterrupted: whether a signal ended the run.
    func exitCode(isInterrupted: Bool) -> Int32 {
        if passed { return 0 }
        if isInterrupted || entries.contains(where: { $0.verdict == .interrupted }) { return Diagnosis.Category.interrupted.rawValue }
        if entries.contains(where: { $0.verdict == .fail }) { return Diagnosis.Category.unitFailed.rawValue }
        if entries.isEmpty { return (stop?.category ?? .unavailable).rawValue }
        let expected = entries.filter { $0.verdict != .notExpected }
        // Nobody has the parts that were asked for: that is the command line's fault.
        let usage = expected.isEmpty ? entries.compactMap(\.error?.category).filter { $0 == .usage } : []
        let categories = expected.compactMap(\.error?.category) + usage + (stop.map { [$0.category] } ?? [])
        return (categories.first(where: \.staysWrong) ?? .tryAgain).rawValue
    }
}

extension Diagnosis.Category {
    /// The same command does the same again.
    fileprivate var staysWrong: Bool {
        switch self {
        case .usage, .badData, .missingInput, .permission, .inputOutput: true
        case .unitFailed, .unavailable, .tryAgain, .interrupted: false
        }
    }
}
