import Ledger
import Provisioning

/// A unit that was compared with what it should hold, and what the ledger knew of it before.
struct VerifiedUnit: Verdict {
    var report: VerifyReport
    /// `nil` where none is known.
    var lastPass: PassedRun?

    var passed: Bool { report.passed }
}
