import Bluetooth
import OpenBotFamily
import Provisioning
import Support
import Synchronization

/// One run of a robot's verb: the result as text or document, and the exit code.
struct RobotRun: Sendable {
    typealias Body = @Sendable (RobotUnit, inout RobotReport) async throws -> Void

    var context: CommandContext
    var unit: UnitOptions
    var limit: TimeLimit
    var verb: String
    var isJSON = false
    var records: RecordInputs?
    /// Restores the terminal before any output.
    var settle: @Sendable () -> Void = {}

    /// - Parameters:
    ///   - check: checks the command line, before a robot is looked for.
    ///   - body: fills the report; its error becomes the report's.
    func run(
        check: @escaping @Sendable () throws -> Void = {}, _ body: @escaping Body,
        document: (@Sendable (RobotReport?, Diagnosis?) -> any Encodable & Sendable)? = nil,
        show: @escaping @Sendable (RobotReport, TextStyle) -> [String]
    ) async -> Int32 {
        context.interrupts.grace.waitForUnits()
        let conclusion = Conclusion()
        context.interrupts.exitReport.set { conclusion.say { fail(RobotCommandError.interrupted.diagnosis, document) } }
        defer { context.interrupts.exitReport.set(nil) }
        // A run that reaches its time limit still reports about the robot.
        let last = Mutex<RobotReport?>(nil)
        let identity = Mutex<RunIdentity?>(nil)
        let outcome = await Supervisor(context: context, tick: nil, timeoutSeconds: limit.timeout).run {
            try check()
            let selection = unit.value
            if case .virtual(let names, _) = selection.units, let other = names.first(where: { $0.family != .openbot }) {
                throw CommandError.unsupported("robot", family: other.family)
            }
            let request = BenchRequest(
                verb: verb, unit: selection.only([.openbot]), search: context.assetSearch(nil), stateFolder: try context.stateFolder(),
                records: records)
            var report = try await context.services.bench(
                request,
                recorded: { record in
                    last.withLock { $0?.run = record }; identity.withLock { $0 = record }
                }, events: { $0.notice.map(context.note) }
            ) { unit in
                try await RobotUnit.link(unit) { robot in
                    let report = await fill(robot, body)
                    last.withLock { $0 = report }
                    return report
                }
            }
            report.run = identity.withLock(\.self)
            return report
        }
        settle()
        switch outcome {
        case .finished(let report), .interrupted(let report?):
            conclusion.say { conclude(report, document, show) }
            return report.failure?.category.rawValue ?? 0
        case .failed(let error):
            let diagnosis = if case CommandError.timedOut(let seconds, _, _) = error { Self.late(seconds) } else { diagnose(error) }
            conclusion.say {
                let report = last.withLock(\.self)
                if let report { show(report, style).forEach(sink.writeLine) }
                fail(diagnosis, document, report)
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

    private static func late(_ seconds: Double) -> Diagnosis {
        CommandError.timedOut(seconds: seconds, next: "look at the robot, then run the command again with a larger --timeout").diagnosis
    }

    private func failure(_ error: any Error) -> Diagnosis {
        guard error is CancellationError else { return diagnose(error) }
        if case .timeLimit(let seconds) = context.stop.reason { return Self.late(seconds) }
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

    private func fail(
        _ error: Diagnosis, _ document: ((RobotReport?, Diagnosis?) -> any Encodable & Sendable)?, _ report: RobotReport? = nil
    ) {
        context.explain(error)
        if isJSON, let document { context.output.writeLine(JSONWriter.text(Encoded(document(report, error)))) }
    }

    private struct Encoded: Encodable {
        let document: any Encodable & Sendable

        init(_ document: any Encodable & Sendable) { self.document = document }
        func encode(to encoder: any Encoder) throws { try document.encode(to: encoder) }
    }
}
