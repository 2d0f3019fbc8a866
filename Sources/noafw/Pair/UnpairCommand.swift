import ArgumentParser
import Bluetooth
import Provisioning
import Support

/// `noafw unpair`
struct UnpairCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "unpair",
        abstract: "Remove this machine's record of a bond.",
        discussion: """
            Removes the unit and the bond's key from bluetoothd's memory. The unit need not be in reach. Without --device, noafw \
            takes the only unit that this machine has worked on. The unit keeps its side of the bond and refuses every new pairing. \
            To clear that, press the button of a Frame's cradle while it charges. That erases its scripts, too. \
            --press-cradle-button does so for a virtual unit.

            Examples:
              noafw unpair
              noafw unpair --device C6:05:04:03:02:01
              noafw unpair --virtual frame --json
              noafw unpair --virtual frame --press-cradle-button

            Exit codes: 0 no record is left, 64 no unit is named or it makes no bonds, 69 there is no adapter, others as \
            in noafw flash.
            """)

    @Option(help: ArgumentHelp("Forget the unit with this address or name.", valueName: "address|name"), completion: LiveCompletion.units)
    var device: String?

    @Option(help: AdapterName.help)
    var adapter: AdapterName?

    @Option(
        help: ArgumentHelp("Forget a virtual unit of this family. FAMILY:NAME is one of several.", valueName: "family[:name]"),
        completion: VirtualUnitName.completion, transform: VirtualUnitName.init(argument:))
    var virtual: VirtualUnitName?

    @Flag(help: "Also press the cradle's button of the virtual unit: it forgets its bond and its scripts.")
    var pressCradleButton = false

    @Flag(help: "Print one JSON document on standard output (schema noafw.unpair/1).")
    var json = false

    func validate() throws {
        if let device, DeviceAddress(device) == nil { throw ValidationError("--device is an address such as C6:05:04:03:02:01.") }
        if virtual != nil, device != nil || adapter != nil {
            throw ValidationError("--virtual names the unit already: leave out --device and --adapter.")
        }
        if pressCradleButton, virtual == nil {
            throw ValidationError("--press-cradle-button is for a virtual unit: name it with --virtual.")
        }
    }

    private var selection: UnpairRequest.Unit {
        if let virtual { return .virtual(virtual) }
        return device.flatMap { DeviceAddress($0) }.map { .radio($0, adapter: adapter?.text) } ?? .known(adapter: adapter?.text)
    }

    func run(in context: CommandContext) async -> Int32 {
        await BondRun(verb: "unpair", context: context, isJSON: json).run {
            try await context.services.unpair(
                UnpairRequest(
                    unit: selection, search: context.assetSearch(nil), stateFolder: try context.stateFolder(),
                    pressesCradleButton: pressCradleButton))
        }
    }
}
