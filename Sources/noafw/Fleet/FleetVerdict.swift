import Bluetooth
import Ledger
import Provisioning
import ScriptBundle
import Support

/// The word for what became of a unit. A unit that failed is told apart from one that could not be tried.
enum FleetVerdict: String, Sendable, CaseIterable {
    case pass
    /// The unit is bad, or not as it should be.
    case fail
    /// Something else went wrong: the station, the radio, a file.
    case error
    case interrupted
    case notReached = "not_reached"
    case notStarted = "not_started"
    case notExpected = "not_expected"
    /// Another station or another process works on it.
    case inUse = "in_use"

    /// Of a unit that was worked on.
    init(_ error: Diagnosis) {
        self = error.category == .interrupted ? .interrupted : error.isOfUnit ? .fail : .error
    }

    var word: String {
        switch self {
        case .pass: "PASS"
        case .fail: "FAIL"
        case .error: "ERROR"
        case .interrupted: "INTERRUPTED"
        case .notReached: "NOT REACHED"
        case .notStarted: "NOT STARTED"
        case .notExpected: "NOT EXPECTED"
        case .inUse: "IN USE"
        }
    }

    /// In the documents: a unit that nothing was done to has neither passed nor failed.
    var document: String? {
        switch self {
        case .pass: "pass"
        case .fail, .error, .interrupted: "fail"
        case .notReached, .notStarted, .notExpected, .inUse: nil
        }
    }

    /// Beside the word, for who sees no colour and does not read.
    func sign(_ style: TextStyle) -> String {
        switch self {
        case .pass: style.hasSymbols ? "✔" : "+"
        case .fail: style.hasSymbols ? "✘" : "x"
        case .error: "!"
        case .interrupted, .notStarted, .notExpected, .inUse: "-"
        case .notReached: "?"
        }
    }

    var tone: TextStyle.Tone {
        switch self {
        case .pass: .good
        case .fail, .error, .interrupted: .bad
        case .notReached, .notStarted, .notExpected, .inUse: .careful
        }
    }

    /// In a sentence that counts.
    var counted: String {
        switch self {
        case .pass: "passed"
        case .fail: "failed"
        case .error: "had an error"
        case .interrupted: "interrupted"
        case .notReached: "not reached"
        case .notStarted: "not started"
        case .notExpected: "not expected here"
        case .inUse: "in use elsewhere"
        }
    }
}

/// What became of a unit, and why.
struct UnitResult: Sendable, Hashable {
    var verdict: FleetVerdict
    /// `nil` for a unit that passed, and for one whose report says what differs.
    var error: Diagnosis?

    static let passed = UnitResult(verdict: .pass)

    init(verdict: FleetVerdict, error: Diagnosis? = nil) { (self.verdict, self.error) = (verdict, error) }

    /// Of a unit that was worked on.
    init(_ error: Diagnosis) { self.init(verdict: FleetVerdict(error), error: error) }

    init(_ report: some Verdict) {
        self.init(verdict: report.passed ? .pass : report.error.map { FleetVerdict($0) } ?? .fail, error: report.error)
    }

    init(_ ending: FleetEnding) {
        switch ending {
        case .proved, .alreadyCurrent: self = .passed
        case .failed(let error): self.init(error)
        case .notExpected(let error): self.init(verdict: .notExpected, error: error)
        case .inUse(let error): self.init(verdict: .inUse, error: error)
        case .notReached(let error): self.init(verdict: .notReached, error: error)
        case .notStarted(let error): self.init(verdict: .notStarted, error: error)
        }
    }
}

extension FleetEnding {
    /// Of work that ended before there was a report. Nothing was done to a unit that the files are not for, or that others work on.
    /// - Parameters:
    ///   - stop: why the work was cancelled.
    ///   - leavesOthers: whether a bundle of another family is no error.
    init(_ error: any Error, stop: StopReason? = nil, leavesOthers: Bool = false) {
        let diagnosis = stop?.diagnosis(of: error) ?? diagnose(error)
        self = switch error {
        case UnitSelectionError.otherFamily(let unit) where !unit.isSupported: .notExpected(diagnosis)
        case CommandError.noSuchPart: .notExpected(diagnosis)
        case BundleError.wrongFamily where leavesOthers, ComparisonError.notInBaseline where leavesOthers: .notExpected(diagnosis)
        case ClaimError.taken, LinkError.busy: .inUse(diagnosis)
        default: .failed(diagnosis)
        }
    }
}

extension Diagnosis {
    /// Whether it says that the unit is bad.
    var isOfUnit: Bool { category == .unitFailed || fault == .unit }
}

extension FleetReport {
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
