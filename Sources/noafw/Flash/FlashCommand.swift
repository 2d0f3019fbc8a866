import ArgumentParser
import Bluetooth
import Provisioning

struct FlashCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "flash",
        abstract: "Update the firmware, FPGA image and scripts of one unit or of many, and verify them.",
        discussion: """
            noafw does not write what is already current. To finish an interrupted run, run the same command again.

            Examples:
              noafw flash
              noafw flash --device D3:5A:00:11:22:33
              noafw flash --nearest --only scripts
              noafw flash --virtual monocle
              noafw flash --virtual monocle --dry-run
              noafw flash --virtual monocle --only fpga,scripts --force
              noafw flash --virtual monocle --firmware release.zip --trust release.pub.pem
              noafw flash --virtual monocle --json --virtual-speed max
              noafw flash --url http://192.168.1.20 --firmware keyboard.bin --trust release.pub.pem
              noafw flash --all --adapter hci0 --adapter hci1
              noafw flash --devices units.txt --wait 60 --canary 2
              noafw flash --virtual monocle --count 4 --virtual frame
              noafw flash --watch --serial ask --serial-pattern 'SN[0-9]{6}'

            With several units, the first Ctrl-C lets running ones finish and starts no more. A second one stops them, too.

            Exit codes: 0 every unit verified, 1 a unit failed, 64 usage, 65 bad data, 66 missing input, 69 no unit, \
            74 I/O, 75 try again, or a unit was not reached, 77 permission, 130 interrupted. With several \
            units, a failed one decides, otherwise the first with 64, 65, 66, 74 or 77, otherwise 75.
            """)

    @OptionGroup(title: "Unit") var units: UnitsOptions
    @OptionGroup(title: "Files") var inputs: InputOptions
    @OptionGroup var parts: PartOptions
    @OptionGroup(title: "Unit in a network") var place: PlaceOption
    @OptionGroup(title: "Unit in a network") var network: NetworkOptions
    @OptionGroup(title: "Several units") var rollout: RolloutOptions
    @OptionGroup(title: "Line") var line: LineOptions
    @OptionGroup(title: "Report") var report: ReportOptions
    @OptionGroup(title: "Record") var server: LedgerServerOptions
    @OptionGroup(title: "Record") var record: RecordOptions

    @Flag(help: "Also write what is already current.")
    var force = false

    @Flag(help: "Ask the unit and print the plan. Change nothing.")
    var dryRun = false

    @Flag(help: "Do not ask before erasing files that belong to no release. A line (--watch) never asks.")
    var yes = false

    @Flag(
        name: .customLong("no-keep"),
        help: "Do not keep files that belong to no release before they are erased or replaced (noafw restore puts back what is kept).")
    var noKeep = false

    @Flag(
        name: .customLong("no-wait"),
        help: "Do not prove that the unit's program lives: for one that never says that it is ready, or prints for ever.")
    var noWait = false

    @Flag(help: "Accept firmware that is older than the unit's. Its bootloader may still refuse it.")
    var allowDowngrade = false

    @Option(help: ArgumentHelp("Erase nothing when the battery is below this charge.", valueName: "percent"))
    var minBattery = 20

    func validate() throws {
        try checkLine()
        try network.check(units, at: place, inputs)
        if units.isFleet, !line.watch, record.serial != nil {
            throw ValidationError("--serial is for one unit: leave it out, or name one unit.")
        }
        if !units.isFleet, !line.watch, rollout.isGiven || units.jobs != nil || units.adapter.count > 1 {
            throw ValidationError(
                "--jobs, --canary, --stop-after and several --adapter belong to several units: give --all, --devices or --count.")
        }
        guard (0...100).contains(minBattery) else { throw ValidationError("--min-battery is a percentage from 0 to 100.") }
    }

    func run(in context: CommandContext) async -> Int32 {
        context.interrupts.grace.waitForUnits()
        if line.watch { return await runLine(in: context) }
        let limits = rollout.value
        let presentation = FlashPresentation(single: units.target, isDryRun: dryRun, limits: limits)
        return await RunSession(context: context, report: report, presentation: presentation).run {
            FlashRequest(
                fleet: place.apply(to: try units.fleet(in: context)),
                inputs: network.apply(to: inputs.value(in: context)), options: try asking(context),
                limits: units.isFleet ? limits : nil, records: try record.value(with: server, in: context),
                stateFolder: try context.stateFolder(),
                drain: context.interrupts.drain)
        }
    }

    func options(in context: CommandContext) throws -> JobOptions {
        var options = JobOptions()
        options.keeping = noKeep ? nil : try KeptFiles(context).keeping
        options.components = parts.value
        options.programWatch = parts.programWatch
        options.provesProgram = !noWait
        options.force = force
        options.dryRun = dryRun
        options.allowDowngrade = allowDowngrade
        options.minimumBattery = minBattery
        return options
    }

    private func asking(_ context: CommandContext) throws -> JobOptions {
        var options = try options(in: context)
        if !yes, !report.json, let question = EraseQuestion(context, isForSeveral: units.isFleet) {
            options.beforeChange = { try await question.ask(about: $0) }
        }
        return options
    }
}
