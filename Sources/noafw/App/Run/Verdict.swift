import Provisioning
import Support

/// What every report can tell a supervisor.
protocol Verdict: Sendable {
    var passed: Bool { get }
    /// What kept it from passing, where that was an error.
    var error: Diagnosis? { get }
}

extension Verdict {
    var error: Diagnosis? { nil }
}

extension UnitReport: Verdict {}
extension VerifyReport: Verdict {}
