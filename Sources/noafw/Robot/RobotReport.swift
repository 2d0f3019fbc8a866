import OpenBotFamily
import Provisioning
import Support

struct RobotReport: RecordedReport {
    struct Sent: Sendable, Hashable {
        var line: RobotLine
        var delivery: RobotSession.Delivery
    }

    var identity: UnitIdentity
    var features: RobotFeatures?
    /// V.
    var voltage: Double?
    var sent: [Sent] = []
    /// For a drive.
    var stop: RobotStop?
    /// For a test.
    var checks: [RobotCheck]?
    var run: RunIdentity?
    var failed: Diagnosis?

    var recoveries: [Recovery] { [] }
    /// Nothing verified is never passed.
    var failure: Diagnosis? {
        if let failed { return failed }
        guard let checks else { return nil }
        guard !checks.isEmpty else { return RobotCommandError.nothingTested.diagnosis }
        let bad = checks.filter { $0.result == .failed }
        return bad.isEmpty ? nil : RobotCommandError.testFailed(bad.map(\.name)).diagnosis
    }
    var error: Diagnosis? { failure }
    var passed: Bool { failure == nil }
}

struct RobotCheck: Codable, Sendable, Hashable {
    enum Result: String, Codable, Sendable { case passed, failed, skipped }

    var name: String
    var result: Result
    /// For a person; printable.
    var found: String
    var expected: String
}
