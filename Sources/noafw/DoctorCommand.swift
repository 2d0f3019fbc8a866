import ArgumentParser
import Bluetooth
import Provisioning
import Support

/// `noafw doctor`
struct DoctorCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check this machine: Bluetooth, files, disk, the virtual units' interpreters.",
        discussion: """
            Every line is ok, warn or fail, and what is not ok comes with its fix. Nothing is changed and no unit is touched.

            Examples:
              noafw doctor
              noafw doctor --adapter hci1
              noafw doctor --json

            Exit codes: 0 nothing fails, else that of the first failure: 66 missing input, 69 no Bluetooth, \
            74 files, 75 bluetoothd does not answer, 77 permission.
            """)

    @Option(help: ArgumentHelp("The Bluetooth adapter to look at; the first one that is on otherwise.", valueName: "hciN"))
    var adapter: String?

    @Option(help: ArgumentHelp("The folder that holds Firmware, FPGA and Scripts.", valueName: "folder"), completion: .directory)
    var assets: String?

    @Flag(help: "Print one JSON document on standard output (schema noafw.doctor/1).")
    var json = false

    func validate() throws { try RadioOptions.check(adapter: adapter) }

    func run(in context: CommandContext) async -> Int32 {
        let search = AssetSearch(
            given: assets, environment: context.environment, currentDirectory: context.currentDirectory,
            executable: context.executable)
        let conclusion = Conclusion()
        context.interrupts.exitReport.set { conclusion.say { interrupted(context) } }
        defer { context.interrupts.exitReport.set(nil) }
        let facts = await context.runner.examine(
            DoctorRequest(adapter: adapter, search: search, stateFolder: try? context.stateFolder()))
        let checks = DoctorCheck.all(facts)
        let failure = checks.first { $0.status == .fail }
        conclusion.say {
            if json { return context.output.writeLine(DoctorCheck.document(checks).text) }
            let style = context.style(for: context.output)
            for line in checks.flatMap({ $0.lines(style) }) { context.output.writeLine(line) }
        }
        return failure?.category.rawValue ?? 0
    }

    private func interrupted(_ context: CommandContext) {
        let error = FileState.unchanged.diagnosis
        for line in ErrorText.lines(error, style: context.style(for: context.diagnostics)) { context.diagnostics.writeLine(line) }
        if json { context.output.writeLine(DoctorCheck.document([], error: error).text) }
    }
}
