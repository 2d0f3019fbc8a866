import Bluetooth
import OpenBotFamily
import Provisioning
import Support
import Synchronization

/// One run of a robot's verb: the result as text or as a document, an exit code.
struct RobotRun: Sendable {
    typealias Body = @Sendable (RobotUnit, inout RobotReport) async throws -> Void

    var context: CommandContext
    var options: RobotOptions
    var verb: String
    var isJSON = false
    var records: RecordInputs?
    /// Puts the terminal in order before anything is said.
    var settle: @Sendable () -> Void = {}

    /// - Parameter body: fills the report; what it throws is the report's error.
    func run(
        _ body: @escaping Body, document: (@Sendable (RobotReport?, Diagnosis?) -> any Encodable & Sendable)? = nil,
        show: @escaping @Sendable (RobotReport, TextStyle) -> [String]
    ) async -> Int32 {
        context.interrupts.grace.waitForUnits()
        let conclusion = Conclusion()
        context.interrupts.exitReport.set { conclusion.say { fail(RobotCommandError.interrupted.diagnosis, document) } }
        defer { context.interrupts.exitReport.set(nil) }
        // A run that its time limit ends still tells what became of the robot.
        let last = Mutex<RobotReport?>(nil)
        let outcome = await Supervisor(context: context, tick: nil, timeoutSeconds: options.timeout).run {
            let request = RobotRequest(
                unit: options.unit.value, search: context.assetSearch(nil), stateFolder: try context.stateFolder(), verb: verb,
                records: records, notice: context.note)
            return try await context.services.robot(request) { robot in
                let report = await fill(robot, body)
                last.withLock { $0 = report }
                return report
            }
        }
        settle()
        switch outcome {
        case .finished(let report), .interrupted(let report?):
            conclusion.say { conclude(report, document, show) }
            return report.failure?.category.rawValue ?? 0
        case .failed(let error):
            let diagnosis = diagnose(error)
            conclusion.say {
                if let report = last.withLock(\.self) { show(report, style).forEach(sink.writeLine) }
                fail(diagnosis, document)
            }
            return diagnosis.category.rawValue
        case .interrupted(nil):
            conclusion.say { fail(RobotCommandError.interrupted.diagnosis, document) }
            return Diagnosis.Category.interrupted.rawValue
        }
    }

    private func fill(_ robot: RobotUnit, _ body: Body) async -> RobotReport {
        let features = robot.session.features
        var report = RobotReport(
            identity: UnitIdentity(address: robot.address, name: features.map { "OpenBot: \($0.body)" } ?? "OpenBot"), features: features)
        do { try await body(robot, &report) } catch { report.failed = failure(error) }
        if let volts = report.voltage, let limits = features?.limits {
            report.identity.facts = [.battery(percent: limits.percent(volts))]
        }
        return report
    }

    private func failure(_ error: any Error) -> Diagnosis {
        guard error is CancellationError else { return diagnose(error) }
        if case .timeLimit(let seconds) = context.stop.reason { return CommandError.timedOut(seconds: seconds).diagnosis }
        return RobotCommandError.interrupted.diagnosis
    }

    private var sink: TextSink { isJSON ? context.diagnostics : context.output }
    private var style: TextStyle { context.style(for: sink) }

    private func conclude(
        _ report: RobotReport, _ document: ((RobotReport?, Diagnosis?) -> any Encodable & Sendable)?,
        _ show: (RobotReport, TextStyle) -> [String]
    ) {
        for line in style.fitted(show(report, style)) { sink.writeLine(line) }
        if let failure = report.failure { context.explain(failure) }
        if isJSON, let document { context.output.writeLine(JSONWriter.text(Encoded(document(report, report.failure)))) }
    }

    private func fail(_ error: Diagnosis, _ document: ((RobotReport?, Diagnosis?) -> any Encodable & Sendable)?) {
        context.explain(error)
        if isJSON, let document { context.output.writeLine(JSONWriter.text(Encoded(document(nil, error)))) }
    }

    private struct Encoded: Encodable {
        let document: any Encodable & Sendable

        init(_ document: any Encodable & Sendable) { self.document = document }
        func encode(to encoder: any Encoder) throws { try document.encode(to: encoder) }
    }
}

/// What goes wrong in a robot's verbs, beside the robot itself.
enum RobotCommandError: Error, Hashable, Sendable {
    case noFeature(String, body: String)
    case nothingTested
    case testFailed([String])
    case interrupted
    /// A line of a file of motions.
    case badScript(line: Int, reason: String)
    /// Arrow keys without a terminal.
    case noMotion
}

extension RobotCommandError: DiagnosableError {
    var diagnosis: Diagnosis {
        switch self {
        case .noFeature(let feature, let body):
            Diagnosis(
                "NOA-0090", .usage, nil, "the robot has no \(feature): its body is \(body)",
                cause: "its firmware was compiled for a body without them", remedy: "see with noafw robot info what the robot has")
        case .nothingTested:
            Diagnosis(
                "NOA-0091", .unitFailed, .unit, "nothing of the robot was tested", cause: "the test ended before its first check",
                remedy: "run the same command again")
        case .testFailed(let checks):
            Diagnosis(
                "NOA-0092", .unitFailed, .unit, "the robot failed: \(checks.joined(separator: ", "))",
                cause: "the checks above say what was expected", remedy: "repair the robot, then run the same command again")
        case .interrupted:
            Diagnosis(
                "NOA-0093", .interrupted, nil, "interrupted; a robot that was driven was told to stop, or its dead-man stops it",
                cause: "noafw received a signal", remedy: "look at the robot; run the same command to begin again")
        case .badScript(let line, let reason):
            Diagnosis(
                "NOA-0094", .badData, nil, "line \(line) of the motions is no motion: \(reason)",
                cause: "a line is LEFT RIGHT TIME, such as: 100 -100 1.5s", remedy: "correct the line, then run the same command again")
        case .noMotion:
            Diagnosis(
                "NOA-0095", .usage, nil, "there is no motion to drive",
                cause: "arrow keys need a terminal, and neither duties nor a file were given",
                remedy: "give LEFT RIGHT --for TIME, or --script FILE")
        }
    }
}
