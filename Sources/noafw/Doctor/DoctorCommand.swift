import ArgumentParser
import Bluetooth
import Provisioning
import Support

struct DoctorCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check this machine: Bluetooth, files, disk, interpreters for virtual units.",
        discussion: """
            Prints ok, warn or fail for each check, and how to fix problems; the last lines say what to do first. Changes nothing \
            and connects to no unit.

            Examples:
              noafw doctor
              noafw doctor --adapter hci1
              noafw doctor --json

            Exit codes: 0 no check failed, else the code of the first failure: 66 missing input, 69 no Bluetooth, \
            74 files, 75 bluetoothd does not answer, 77 permission.
            """)

    @Option(help: ArgumentHelp("Check this Bluetooth adapter. The default is the first one that is on.", valueName: AdapterName.form))
    var adapter: AdapterName?

    @Option(help: ArgumentHelp("The folder that holds Firmware, FPGA and Scripts.", valueName: "folder"), completion: .directory)
    var assets: CatalogueName?

    @Flag(help: "Print one JSON document on standard output (schema noafw.doctor/1).")
    var json = false

    func run(in context: CommandContext) async -> Int32 {
        let conclusion = Conclusion()
        context.interrupts.exitReport.set { conclusion.say { interrupted(context) } }
        defer { context.interrupts.exitReport.set(nil) }
        let facts = await context.services.examine(
            DoctorRequest(
                adapter: adapter?.text, search: context.assetSearch(assets?.name), stateFolder: try? context.stateFolder(),
                clock: context.clock))
        let checks = DoctorCheck.all(facts)
        let failure = checks.first { $0.status == .fail }
        conclusion.say {
            if json { return context.output.writeLine(JSONWriter.text(DoctorDocument(checks))) }
            let style = context.style(for: context.output)
            for line in checks.flatMap({ $0.lines(style) }) + DoctorAdvice(checks).lines(style) { context.output.writeLine(line) }
        }
        return failure?.category.rawValue ?? 0
    }

    private func interrupted(_ context: CommandContext) {
        let error = FileState.unchanged.diagnosis
        context.explain(error)
        if json { context.output.writeLine(JSONWriter.text(DoctorDocument([], error: error))) }
    }
}
