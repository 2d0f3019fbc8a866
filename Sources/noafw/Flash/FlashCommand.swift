import ArgumentParser
import Bluetooth
import Provisioning

/// `noafw flash`
struct FlashCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "flash",
        abstract: "Update the firmware, FPGA image and scripts of a unit, and verify them.",
        discussion: """
            noafw does not write what is current already. To finish an interrupted run, run the same command again.

            Examples:
              noafw flash
              noafw flash --device D3:5A:00:11:22:33
              noafw flash --nearest --only scripts
              noafw flash --virtual monocle
              noafw flash --virtual monocle --dry-run
              noafw flash --virtual monocle --only fpga,scripts --force
              noafw flash --virtual monocle --firmware release.zip --trust release.pub.pem
              noafw flash --virtual monocle --json --virtual-speed max

            Exit codes: 0 verified, 1 the unit failed, 64 usage, 65 bad data, 66 missing input, 69 no unit, \
            74 I/O, 75 try again, 77 permission, 130 interrupted.
            """)

    @OptionGroup(title: "Unit") var unit: UnitOptions
    @OptionGroup(title: "Files") var inputs: InputOptions
    @OptionGroup var parts: PartOptions
    @OptionGroup(title: "Report") var report: ReportOptions
    @OptionGroup(title: "Record") var record: RecordOptions

    @Flag(help: "Also write what is current already.")
    var force = false

    @Flag(help: "Ask the unit and print the plan. Change nothing.")
    var dryRun = false

    @Flag(help: "Accept a firmware that is older than the unit's. Its bootloader may still refuse it.")
    var allowDowngrade = false

    @Option(help: ArgumentHelp("Erase nothing when the battery is below this charge.", valueName: "percent"))
    var minBattery = 20

    func validate() throws {
        guard (0...100).contains(minBattery) else { throw ValidationError("--min-battery is a percentage from 0 to 100.") }
    }

    func run(in context: CommandContext) async -> Int32 {
        let presentation = UnitReportPresentation(target: unit.value.target, isDryRun: dryRun)
        let session = RunSession(context: context, report: report, mayChangeUnit: !dryRun, presentation: presentation)
        return await session.run { events in
            try await context.services.flash(request(in: context), events: events)
        }
    }

    private func request(in context: CommandContext) throws -> FlashRequest {
        var options = JobOptions()
        options.components = parts.value
        options.force = force
        options.dryRun = dryRun
        options.allowDowngrade = allowDowngrade
        options.minimumBattery = minBattery
        return FlashRequest(
            unit: unit.value, inputs: inputs.value(in: context), options: options, stateFolder: try context.stateFolder(),
            records: try record.value(in: context))
    }
}
