import ArgumentParser
import Bluetooth
import OpenBotFamily
import Provisioning
import Support
import Synchronization

/// `noafw robot test`
struct RobotTestCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Test a robot whose wheels are in the air, and record the verdict.",
        discussion: """
            Put the robot on a stand first: its wheels turn. noafw tests what the robot has: the answer to what it is, the battery, \
            the sonar (put something before it), lights, with --bumper the bumper, each side's motor in both directions by the \
            wheels' encoders, and how soon it acknowledges a stop. A speed has the sign of its command: only an operator sees which \
            way a wheel turns.

            Examples:
              noafw robot test
              noafw robot test --serial R-0042 --bumper
              noafw robot test --virtual openbot --json

            Exit codes: 0 every check passed, 1 one failed, 75 the link was lost, others as in noafw flash.
            """)

    @OptionGroup(title: "Unit") var unit: UnitOptions
    @OptionGroup var limit: TimeLimit
    @OptionGroup(title: "Record") var server: LedgerServerOptions
    @OptionGroup(title: "Record") var record: RecordOptions

    @Flag(help: "Ask for a press of the bumper, too.")
    var bumper = false

    @Flag(help: "Print one JSON document on standard output (schema noafw.robot-test/1).")
    var json = false

    func run(in context: CommandContext) async -> Int32 {
        let records: RecordInputs
        do { records = try record.value(with: server, in: context) } catch {
            let diagnosis = diagnose(error)
            context.explain(diagnosis)
            if json { context.output.writeLine(JSONWriter.text(RobotTestDocument(nil, diagnosis))) }
            return diagnosis.category.rawValue
        }
        let run = RobotRun(context: context, unit: unit, limit: limit, verb: "robot test", isJSON: json, records: records)
        return await run.run({ robot, report in
            try await RobotTest(robot: robot, asksBumper: bumper, say: { context.note($0) }).run(&report)
        }, document: { RobotTestDocument($0, $1) }, show: Self.lines)
    }

    private static func lines(_ report: RobotReport, _ style: TextStyle) -> [String] {
        var table = TextTable([.init("check"), .init("result"), .init("found"), .init("expected", leftOut: 1)])
        let checks = report.checks ?? []
        for check in checks { table.append([check.name, check.result.rawValue, check.found, check.expected]) }
        let rows = table.lines(style: style) { index in
            switch checks[index].result {
            case .passed: nil
            case .failed: .bad
            case .skipped: .careful
            }
        }
        let verdict = report.passed ? style.paint("PASS", .good) : style.paint("FAIL", .bad)
        let stop = report.stop.map { [RobotText.stop($0, style)] } ?? []
        return rows + stop + ["\(verdict)  \(UntrustedText.escape(report.identity.address.labelled)) \(report.features?.body ?? "")"]
    }
}

/// The document `noafw.robot-test/1`.
struct RobotTestDocument: Encodable, Sendable {
    var schema = "noafw.robot-test/1"
    var verdict: PassMember
    /// `null` when none was reached.
    var unit: RobotDocument.Robot?
    var checks: [RobotCheck]
    var stop: RobotDocument.Stop?
    var error: Diagnosis?
    /// `null` when the run is not recorded.
    var run: RunIdentity?

    init(_ report: RobotReport?, _ error: Diagnosis?) {
        verdict = PassMember(error == nil && report?.passed == true)
        unit = report.map(RobotDocument.Robot.init)
        checks = report?.checks ?? []
        stop = report?.stop.map(RobotDocument.Stop.init)
        self.error = error
        run = report?.run
    }
}
