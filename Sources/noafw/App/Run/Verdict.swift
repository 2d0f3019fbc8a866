import Provisioning

/// What every report can tell a supervisor.
protocol Verdict: Sendable {
    var passed: Bool { get }
}

extension UnitReport: Verdict {}
extension VerifyReport: Verdict {}
