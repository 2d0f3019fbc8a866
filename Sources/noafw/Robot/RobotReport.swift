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

/// The document `noafw.robot/1`.
struct RobotDocument: Encodable, Sendable {
    struct Robot: Encodable, Sendable {
        var address: String
        var body: String?
        var features: [String]
        var volts: Double?

        init(_ report: RobotReport) {
            (address, body) = ("\(report.identity.address)", report.features?.body)
            (features, volts) = (report.features?.tokens ?? [], report.voltage)
        }
    }

    struct Line: Encodable, Sendable {
        var line: String
        /// By the robot's stack.
        var acknowledged: Bool
    }

    struct Stop: Encodable, Sendable {
        var delivered: Bool
        var acknowledged: Bool
        /// From the drive's end; `null` when it was not delivered.
        var milliseconds: Double?

        init(_ stop: RobotStop) {
            (delivered, acknowledged) = (stop.isDelivered, stop.delivery == .proved)
            milliseconds = stop.latency.map { ($0.inSeconds * 1000).rounded() }
        }
    }

    var schema = "noafw.robot/1"
    /// `null` when nothing is wrong: none of these verbs verifies a robot.
    var verdict: PassMember?
    /// `null` when none was reached.
    var unit: Robot?
    var sent: [Line]
    /// Of a drive.
    var stop: Stop?
    var error: Diagnosis?

    init(_ report: RobotReport?, _ error: Diagnosis?) {
        verdict = error.map { _ in .fail }
        (unit, stop, self.error) = (report.map(Robot.init), report?.stop.map(Stop.init), error)
        sent = report?.sent.map { Line(line: $0.line.text, acknowledged: $0.delivery == .proved) } ?? []
    }
}

struct RobotCheck: Codable, Sendable, Hashable {
    enum Result: String, Codable, Sendable { case passed, failed, skipped }

    var name: String
    var result: Result
    /// For a person; printable.
    var found: String
    var expected: String
}
