import Ledger
import Provisioning
import Support

/// A job's report, as a record needs it.
protocol RecordedReport: Verdict {
    var identity: UnitIdentity { get }
    var recoveries: [Recovery] { get }
    /// Why the unit did not pass.
    var failure: Diagnosis? { get }
}

extension UnitReport: RecordedReport {
    var failure: Diagnosis? { error }
}

extension VerifyReport: RecordedReport {
    var failure: Diagnosis? {
        let drifted = findings.filter { !$0.value.matches }.map(\.key).sorted()
        if error == nil, findings.isEmpty { return ProvisioningError.nothingWanted.diagnosis }
        return error ?? (drifted.isEmpty ? nil : CommandError.differs(parts: drifted, advice: CommandError.flashSameScripts).diagnosis)
    }
}

extension ComparedReport: RecordedReport {
    var identity: UnitIdentity { report.identity }
    var recoveries: [Recovery] { report.recoveries }
}

/// A unit that was compared with what it should hold, and what the ledger knew of it before.
struct VerifiedUnit: Verdict {
    var report: VerifyReport
    /// `nil` where none is known.
    var lastPass: PassedRun?

    var passed: Bool { report.passed }
}
