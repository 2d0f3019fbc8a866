import ArgumentParser
import Bluetooth
import Provisioning
import Support

/// Who is in reach at the end of a scan.
struct ScanReport: RunVerdict, Hashable {
    var units: [SightedUnit]
    /// Application addresses of units this station has worked on.
    var known: Set<DeviceAddress>

    var passed: Bool { !units.isEmpty }
}

/// `noafw scan`
struct ScanCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "scan",
        abstract: "Show the glasses in reach.",
        discussion: """
            Lists every Monocle and Frame that advertises, the nearest first, with the address to give to --device. A unit \
            in its bootloader is listed under the address of its application. On a terminal the table lives until the time \
            is over; Ctrl-C ends it earlier.

            Examples:
              noafw scan
              noafw scan --seconds 30
              noafw scan --json

            Exit codes: 0 somebody is in reach, 69 nobody is, or there is no adapter.
            """)

    @Option(help: ArgumentHelp("The Bluetooth adapter to use; the first one that is on otherwise.", valueName: "hciN"))
    var adapter: String?

    @Option(help: ArgumentHelp("How long to listen.", valueName: "n"))
    var seconds: Double = 8

    @Flag(help: "Print one JSON document on standard output (schema noafw.scan/1).")
    var json = false

    func validate() throws {
        guard seconds.isFinite, (0.5...86_400).contains(seconds) else {
            throw ValidationError("--seconds is a number from 0.5 to 86400.")
        }
        try RadioOptions.check(adapter: adapter)
    }

    func run(in context: CommandContext) async -> Int32 {
        let table = ScanTable(context: context, isLive: context.output.isTerminal && !context.isDumbTerminal && !json)
        let conclusion = Conclusion()
        context.interrupts.exitReport.set { conclusion.say { fail(FileState.unchanged.diagnosis, context) } }
        defer { context.interrupts.exitReport.set(nil) }
        let outcome = await Supervisor(context: context, tick: nil, timeoutSeconds: nil).run {
            let request = ScanRequest(adapter: adapter, listening: .seconds(seconds), stateFolder: try context.stateFolder())
            return try await context.runner.scan(request) { table.draw($0) }
        }
        let report: ScanReport
        switch outcome {
        case .finished(let finished): report = finished
        case .interrupted(let partial): report = partial ?? table.last
        case .failed(let error):
            table.clear()
            let diagnosis = CommandError.explain(error)
            conclusion.say { fail(diagnosis, context) }
            return diagnosis.category.rawValue
        }
        let nobody = report.passed ? nil : ChoiceError.none.diagnosis
        conclusion.say {
            table.finish(report, json: json)
            if let nobody { return fail(nobody, context) }
            if json { context.output.writeLine(Self.document(report, error: nil).text) }
        }
        return nobody?.category.rawValue ?? 0
    }

    private func fail(_ error: Diagnosis, _ context: CommandContext) {
        if json { context.output.writeLine(Self.document(ScanReport(units: [], known: []), error: error).text) }
        for line in ErrorText.lines(error, style: context.style(for: context.diagnostics)) { context.diagnostics.writeLine(line) }
    }

    private static func document(_ report: ScanReport, error: Diagnosis?) -> JSONText {
        let units = report.units.map { unit in
            JSONText.object([
                ("address", .string(unit.address.description)),
                ("family", .string(unit.family.rawValue)),
                ("mode", .string(unit.mode.rawValue)),
                ("advertised_address", .string(unit.advertisedAddress.description)),
                ("name", .string(unit.name)),
                ("rssi_dbm", .integer(unit.rssi)),
                ("known", .bool(report.known.contains(unit.address))),
            ])
        }
        return .object([
            ("schema", .string("noafw.scan/1")), ("units", .array(units)), ("error", error.map(ReportText.document) ?? .null),
        ])
    }
}
