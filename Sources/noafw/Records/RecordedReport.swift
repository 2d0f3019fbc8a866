import Ledger
import Provisioning
import Support

/// A job's report, as a record needs it.
protocol RecordedReport: Verdict {
    var identity: UnitIdentity { get }
    var recoveries: [Recovery] { get }
    /// Why the unit did not pass.
    var failure: Diagnosis? { get }
    var result: UnitResult { get }
}

extension RecordedReport {
    var result: UnitResult { failure.map { UnitResult($0) } ?? .passed }
}

extension UnitReport: RecordedReport {
    var failure: Diagnosis? { error }
    var result: UnitResult {
        if let error { return UnitResult(error) }
        return steps.contains { $0.action != .current && $0.action != .skipped } ? .passed : .wasCurrent
    }
}

extension VerifyReport: RecordedReport {
    var drifted: [Component] { findings.filter { !$0.value.matches }.keys.sorted() }

    var failure: Diagnosis? {
        if error == nil, findings.isEmpty { return ProvisioningError.nothingWanted.diagnosis }
        return error ?? (drifted.isEmpty ? nil : CommandError.differs(parts: drifted, advice: CommandError.flashSameScripts).diagnosis)
    }
}

extension ComparedReport: RecordedReport {
    var identity: UnitIdentity { report.identity }
    var recoveries: [Recovery] { report.recoveries }
}
