import ArgumentParser
import Bluetooth
import Provisioning
import Support

struct ScanCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "scan",
        abstract: "Show the units in reach.",
        discussion: """
            Lists every unit of a known family that advertises, the nearest first. Give the address to --device. A unit in its \
            bootloader is listed with its application's address. On a terminal the table is redrawn until the time is up. \
            Press Ctrl-C to stop sooner.

            Examples:
              noafw scan
              noafw scan --seconds 30
              noafw scan --json

            Exit codes: 0 a unit is in reach, 69 no unit is in reach or there is no adapter.
            """)

    @Option(help: AdapterName.help)
    var adapter: AdapterName?

    @Option(help: ArgumentHelp("Listen for this many seconds.", valueName: "n"))
    var seconds: Double = 8

    @Flag(help: "Print one JSON document on standard output (schema noafw.scan/1).")
    var json = false

    func validate() throws {
        guard seconds.isFinite, (0.5...86_400).contains(seconds) else {
            throw ValidationError("--seconds is a number from 0.5 to 86400.")
        }
    }

    func run(in context: CommandContext) async -> Int32 {
        let table = ScanTable(context: context, isLive: context.output.isTerminal && !context.isDumbTerminal && !json)
        let conclusion = Conclusion()
        context.interrupts.exitReport.set {
            conclusion.say { fail(FileState.unchanged.diagnosis, ScanReport(units: [], known: []), context) }
        }
        defer { context.interrupts.exitReport.set(nil) }
        let outcome = await Supervisor(context: context, tick: nil, timeoutSeconds: nil).run {
            let request = ScanRequest(adapter: adapter?.text, listening: .seconds(seconds), stateFolder: try context.stateFolder())
            return try await context.services.scan(request) { table.draw($0) }
        }
        let report: ScanReport
        switch outcome {
        case .finished(let finished): report = finished
        case .interrupted(let partial): report = partial ?? table.last
        case .failed(let error):
            table.clear()
            let diagnosis = diagnose(error)
            conclusion.say { fail(diagnosis, ScanReport(units: [], known: []), context) }
            return diagnosis.category.rawValue
        }
        let nobody = report.passed ? nil : UnitSelectionError.none.diagnosis
        conclusion.say {
            table.finish(report, json: json)
            if let nobody { return fail(nobody, report, context) }
            if json { context.output.writeLine(JSONWriter.text(ScanDocument(report, error: nil))) }
        }
        return nobody?.category.rawValue ?? 0
    }

    private func fail(_ error: Diagnosis, _ report: ScanReport, _ context: CommandContext) {
        if json { context.output.writeLine(JSONWriter.text(ScanDocument(report, error: error))) }
        context.explain(error)
    }
}
