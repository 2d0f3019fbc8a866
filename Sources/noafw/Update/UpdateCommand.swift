import ArgumentParser
import Bluetooth
import Provisioning
import Support

/// `noafw update`
struct UpdateCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "update",
        abstract: "Update the firmware and FPGA image of your unit. Your own files stay, or are put back.",
        discussion: """
            Says what is out of date and what it becomes, and asks once. Scripts are left alone: where new firmware formats the file \
            system, as on a Frame, the files are kept in the state folder first, and put back and verified afterwards. Without a \
            terminal nothing is changed unless --yes says so.

            To go back, install the earlier package: noafw flash --only firmware --allow-downgrade --firmware FILE.

            Examples:
              noafw update
              noafw update --yes --nearest
              noafw update --firmware release.zip --trust release.pub.pem
              noafw update --virtual frame

            Exit codes: 0 the unit is up to date, 77 it was not to be updated, others as in noafw flash.
            """)

    @OptionGroup(title: "Unit") var unit: UnitOptions
    @OptionGroup(title: "Files") var inputs: InputOptions
    @OptionGroup(title: "Report") var report: ReportOptions
    @OptionGroup(title: "Record") var server: LedgerServerOptions
    @OptionGroup(title: "Record") var record: RecordOptions

    @Flag(help: "Do not ask.")
    var yes = false

    func run(in context: CommandContext) async -> Int32 {
        if inputs.scripts != nil { context.note("update leaves scripts alone: noafw flash --only scripts installs them") }
        context.interrupts.grace.waitForUnits()
        let canAsk = context.input.isTerminal && context.output.isTerminal && context.diagnostics.isTerminal && !report.json
        let isDryRun = !yes && !canAsk
        if isDryRun { context.note("nothing is changed without a terminal: add --yes to update") }
        let presentation = FlashPresentation(single: unit.value.target, isDryRun: isDryRun)
        return await RunSession(context: context, report: report, presentation: presentation).run {
            var files = inputs.value(in: context)
            files.leavesScripts = true
            var options = JobOptions()
            (options.dryRun, options.putsBack) = (isDryRun, true)
            options.keeping = try KeptFiles(context).keeping
            if !yes { options.beforeChange = { try await UpdateQuestion(context: context).ask($0) } }
            return FlashRequest(
                fleet: unit.value, inputs: files, options: options, records: try record.value(with: server, in: context),
                stateFolder: try context.stateFolder(), drain: context.interrupts.drain)
        }
    }
}

/// What an owner is asked before an update.
private struct UpdateQuestion: Sendable {
    let context: CommandContext

    /// - Throws: ``ProvisioningError/notPermitted``.
    func ask(_ plan: Plan?) async throws {
        let lines = plan.map { Self.lines($0) } ?? ["the unit is in its bootloader: its firmware has to be finished"]
        let isYes = try await context.drawingArea.holding {
            for line in lines { context.say(UntrustedText.escape(line)) }
            context.diagnostics.write("update the unit? [y/N] ")
            return try await Answer.read(context).isYes
        }
        guard isYes else { throw ProvisioningError.notPermitted }
    }

    private static func lines(_ plan: Plan) -> [String] {
        plan.components.map { part in
            part.action == .current
                ? "\(part.component.title) is current: \(part.to)"
                : "\(part.component.title): \(part.from ?? "unknown") -> \(part.to), in about \(Format.clock(seconds: part.seconds))"
        }
    }
}
