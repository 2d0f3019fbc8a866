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
            An interrupted firmware update leaves a unit that only advertises as DfuTarg (Monocle) or Frame Update (Frame), \
            at the address after its own. Those of units that this station has worked on are finished one after the other: \
            a Monocle is flashed and proved whole, a Frame gets its firmware and is awaited. Any Nordic device calls its \
            bootloader so: one that this station has not met is only listed, until it is named with --device. A unit whose \
            application is heard is not stranded, whatever advertises at the address after its own.

            Examples:
              noafw rescue
              noafw rescue --dry-run
              noafw rescue --device D3:5A:00:11:22:33 --firmware release.zip

            Exit codes: 0 none of this station's units is stranded any more, 1 a unit failed, 69 only strangers are stranded, \
            the named unit is not in reach or there is no adapter, others as in noafw flash.
            """)

    @Option(help: ArgumentHelp("The address of a unit to rescue, whether met before or not.", valueName: "address"))
    var device: String?

    @Option(help: ArgumentHelp("The Bluetooth adapter to use; the first one that is on otherwise.", valueName: "hciN"))
    var adapter: String?

    @OptionGroup(title: "Files") var inputs: InputOptions
    @OptionGroup(title: "Report") var report: ReportOptions

    @Flag(help: "Say who would be finished, but change nothing.")
    var dryRun = false

    func validate() throws {
        if let device, DeviceAddress(device) == nil { throw ValidationError("--device is an address such as D3:5A:00:11:22:33.") }
        try RadioOptions.check(adapter: adapter)
    }

    func run(in context: CommandContext) async -> Int32 {
        let session = RunSession(
            context: context, report: report, mayChangeUnit: !dryRun, presentation: RescuePresentation())
        return await session.run { events in
            var options = FlashOptions()
            options.dryRun = dryRun
            let wish = device.flatMap { DeviceAddress($0) }.map { UnitWish.address($0) } ?? .only
            return try await context.services.rescue(
                RescueRequest(
                    radio: RadioSelection(wish: wish, adapter: adapter), inputs: inputs.value(in: context), options: options,
                    stateFolder: try context.stateFolder()),
                events: events)
        }
    }
}
