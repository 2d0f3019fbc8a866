import ArgumentParser
import Bluetooth
import Ledger
import Provisioning

/// `noafw verify`
struct VerifyCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Verify what one unit or many run, without changing them.",
        discussion: """
            Compares the unit's firmware, FPGA image and scripts with the catalogue or the given files. With --deep \
            the unit computes digests of its FPGA flash and of every script. They show a single changed byte.

            Examples:
              noafw verify --nearest
              noafw verify --virtual monocle
              noafw verify --virtual monocle --deep --json
              noafw verify --virtual monocle --only scripts --scripts my-scripts
              noafw verify --all --expect release.zip --junit fleet.xml
              noafw verify --devices units.txt --baseline monday.json --allow allowed.csv --csv -

            Exit codes: 0 everything matches, 1 something differs, 75 nothing differs but a unit was not reached, others as in \
            noafw flash.
            """)

    @OptionGroup(title: "Unit") var units: UnitsOptions
    @OptionGroup(title: "Files") var inputs: InputOptions
    @OptionGroup var parts: PartOptions
    @OptionGroup(title: "Unit in a network") var place: PlaceOption
    @OptionGroup(title: "Unit in a network") var network: NetworkOptions
    @OptionGroup(title: "Comparison") var comparison: ComparisonOptions
    @OptionGroup(title: "Report") var report: ReportOptions
    @OptionGroup(title: "Record") var server: LedgerServerOptions
    @OptionGroup(title: "Record") var record: RecordOptions

    @Flag(help: "Also compare digests that the unit computes, not only versions.")
    var deep = false

    func validate() throws {
        try comparison.check(report, inputs)
        try network.check(units, at: place, inputs)
        guard deep || parts.watchProgram == nil else {
            throw ValidationError("--watch-program belongs to --deep: without it the program is not verified.")
        }
        if !isFleet, units.jobs != nil || units.adapter.count > 1 {
            throw ValidationError("--jobs and several --adapter belong to several units: give --all, --devices or --count.")
        }
    }

    /// Also for one unit: what only a fleet's report has.
    private var isFleet: Bool { units.isFleet || comparison.isGiven }

    func run(in context: CommandContext) async -> Int32 {
        context.interrupts.grace.waitForUnits()
        var inputs = inputs
        inputs.bundle = comparison.expect ?? inputs.bundle
        let files = network.apply(to: inputs.value(in: context))
        var compared = Comparison(
            isDeep: deep, today: "", files: NamedFiles(arguments: inputs.arguments, parts: files.named, bundle: files.bundle))
        do {
            try comparison.read(into: &compared, in: context)
            try comparison.checkOutputs(in: context)
        } catch {
            return await session(compared, context).run { () throws -> VerifyRequest in throw error }
        }
        return await session(compared, context).run { [compared] in
            VerifyRequest(
                fleet: place.apply(to: try units.fleet(in: context)), inputs: files, components: parts.value, isDeep: deep,
                programWatch: parts.programWatch,
                comparison: compared, records: try record.value(with: server, in: context),
                stateFolder: try context.stateFolder(), drain: context.interrupts.drain)
        }
    }

    private func session(_ compared: Comparison, _ context: CommandContext) -> RunSession<VerifyPresentation> {
        RunSession(
            context: context, report: report, isOutputTaken: comparison.isOutputTaken,
            presentation: VerifyPresentation(
                single: isFleet ? nil : units.target, comparison: compared, csv: comparison.csv,
                csvForm: comparison.excel ? .excel : .plain,
                junit: comparison.junit, arguments: context.arguments))
    }
}
