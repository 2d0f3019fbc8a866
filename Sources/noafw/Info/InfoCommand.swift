import ArgumentParser
import Provisioning
import Support

/// `noafw info`
struct InfoCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Show what a unit is: versions, battery, address, mode, bond.",
        discussion: """
            Asks one unit, changes nothing that it stores, and starts its program again. Needs no catalogue and no files. A Frame \
            answers over an encrypted link alone: where there is no bond, one is made, as by noafw pair. A keyboard tells its version \
            over its network: add --family keyboard, or --url where it is not at its usual name.

            Examples:
              noafw info
              noafw info --device "Room 3, 12"
              noafw info --nearest --label "Room 3, 12"
              noafw info --virtual frame --json

            Exit codes: 0 the unit answered, 1 it did not, 69 no unit is in reach, others as in noafw flash.
            """)

    @OptionGroup(title: "Unit") var unit: UnitOptions
    @OptionGroup(title: "Network") var place: PlaceOption

    @Flag(help: "Print one JSON document on standard output (schema noafw.info/1).")
    var json = false

    @OptionGroup var limit: TimeLimit

    func validate() throws {
        try place.check(isVirtual: unit.virtual != nil, isFleet: false)
    }

    /// All whose units this program has any verb for.
    private static let families = Set(SupportedFamily.all.filter { $0.family.provisioning != nil || $0.virtual != nil }.map(\.id))

    func run(in context: CommandContext) async -> Int32 {
        let conclusion = Conclusion()
        context.interrupts.grace.waitForUnits()
        let interruption = CommandError.interrupted(
            condition: "nothing that the unit stores was changed", nextAction: "run the same command again").diagnosis
        context.interrupts.exitReport.set { conclusion.say { fail(interruption, context) } }
        defer { context.interrupts.exitReport.set(nil) }
        let outcome = await Supervisor(context: context, tick: nil, timeoutSeconds: limit.timeout).run { try await report(in: context) }
        let error: Diagnosis
        switch outcome {
        case .finished(let report), .interrupted(let report?):
            conclusion.say { show(report, context) }
            return 0
        case .failed(let reason): error = diagnose(reason)
        case .interrupted(nil): error = interruption
        }
        conclusion.say { fail(error, context) }
        return error.category.rawValue
    }

    private func report(in context: CommandContext) async throws -> InfoReport {
        let events: Services.Events = {
            switch $0.content {
            case .notice(let text): context.note(text)
            case .recovery(let recovery): context.note(recovery.words)
            default: break
            }
        }
        return try await context.services.withUnit(
            place.apply(to: unit.value.only(Self.families)), search: context.assetSearch(nil), stateFolder: try context.stateFolder(),
            events: events
        ) { try await UnitInterview.ask($0, events: events) }
    }

    private func show(_ report: InfoReport, _ context: CommandContext) {
        let sink = json ? context.diagnostics : context.output
        for line in report.lines(context.style(for: sink)) { sink.writeLine(line) }
        if json { context.output.writeLine(JSONWriter.text(InfoDocument(report))) }
    }

    private func fail(_ error: Diagnosis, _ context: CommandContext) {
        context.explain(error)
        if json { context.output.writeLine(JSONWriter.text(InfoDocument(nil, error: error))) }
    }
}
