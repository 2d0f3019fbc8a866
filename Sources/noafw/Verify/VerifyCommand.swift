import ArgumentParser
import Bluetooth
import Provisioning

/// `noafw verify`
struct VerifyCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Verify what a unit runs, without changing it.",
        discussion: """
            Compares the unit's firmware, FPGA image and scripts with the catalogue or the given files. With --deep \
            the unit computes digests of its FPGA flash and of every script. They show a single changed byte.

            Examples:
              noafw verify --nearest
              noafw verify --virtual monocle
              noafw verify --virtual monocle --deep --json
              noafw verify --virtual monocle --only scripts --scripts my-scripts

            Exit codes: 0 everything matches, 1 something differs, others as in noafw flash.
            """)

    @OptionGroup(title: "Unit") var unit: UnitOptions
    @OptionGroup(title: "Files") var inputs: InputOptions
    @OptionGroup var parts: PartOptions
    @OptionGroup(title: "Report") var report: ReportOptions
    @OptionGroup(title: "Record") var record: RecordOptions

    @Flag(help: "Also compare digests that the unit computes, not only versions.")
    var deep = false

    func run(in context: CommandContext) async -> Int32 {
        let presentation = VerifyPresentation(target: unit.value.target, isDeep: deep, arguments: context.arguments)
        let session = RunSession(context: context, report: report, mayChangeUnit: false, presentation: presentation)
        return await session.run { events in
            let request = VerifyRequest(
                unit: unit.value, inputs: inputs.value(in: context), components: parts.value, isDeep: deep,
                stateFolder: try context.stateFolder(), records: try record.value(in: context))
            return try await context.services.verify(request, events: events)
        }
    }
}
