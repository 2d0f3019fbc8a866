import ArgumentParser
import Bluetooth
import Provisioning
import Support

/// `noafw rescue`
struct RescueCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "rescue",
        abstract: "Finish units that are stranded in their bootloaders.",
        discussion: """
            After an interrupted firmware update a unit waits in its bootloader. It advertises as DfuTarg (Monocle) or Frame \
            Update (Frame), at the address after its own. noafw flashes and verifies each unit \
            that this machine has worked on.

            Other Nordic devices use the same names for their bootloaders. noafw only lists a bootloader that it does not know. \
            To rescue it, name it with --device. A unit is not stranded while its application advertises.

            Examples:
              noafw rescue
              noafw rescue --dry-run
              noafw rescue --device D3:5A:00:11:22:33 --firmware release.zip

            Exit codes: 0 no known unit is still stranded, 1 a unit failed, 69 only unknown bootloaders are in reach, the named \
            unit is not in reach or there is no adapter, others as in noafw flash.
            """)

    @Option(
        help: ArgumentHelp("Rescue the unit with this address, known or not, or with this name.", valueName: "address|name"),
        completion: LiveCompletion.units)
    var device: String?

    @Option(help: AdapterName.help)
    var adapter: AdapterName?

    @OptionGroup var waiting: WaitOption

    @OptionGroup(title: "Files") var inputs: InputOptions
    @OptionGroup(title: "Report") var report: ReportOptions
    @OptionGroup(title: "Record") var server: LedgerServerOptions
    @OptionGroup(title: "Record") var record: RecordOptions

    @Flag(help: "Print which units would be finished. Change nothing.")
    var dryRun = false

    func validate() throws {
        if device == nil, record.serial != nil { throw ValidationError("--serial belongs to one unit: give --device too.") }
        if let device, DeviceAddress(device) == nil { throw ValidationError("--device is an address such as D3:5A:00:11:22:33.") }
    }

    func run(in context: CommandContext) async -> Int32 {
        context.interrupts.grace.waitForUnits()
        let session = RunSession(context: context, report: report, presentation: RescuePresentation(mayChangeUnit: !dryRun))
        return await session.run {
            var options = JobOptions()
            options.dryRun = dryRun
            options.keeping = try KeptFiles(context).keeping
            let selector = device.flatMap { DeviceAddress($0) }.map { UnitSelector.address($0) } ?? .only
            let fleet = UnitSelection(
                units: .one(selector), adapters: adapter.map { [$0.text] } ?? [], jobsPerAdapter: 1, wait: waiting.value)
            return RescueRequest(
                flash: FlashRequest(
                    fleet: fleet, inputs: inputs.value(in: context), options: options, records: try record.value(with: server, in: context),
                    stateFolder: try context.stateFolder(), drain: context.interrupts.drain))
        }
    }
}

private struct RescueRequest: RunRequest {
    let flash: FlashRequest

    func perform(by services: any Services, events: @escaping Services.Events) async throws -> RescueReport {
        try await services.rescue(flash, events: events)
    }
}
