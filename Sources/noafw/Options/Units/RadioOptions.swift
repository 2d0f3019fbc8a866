import ArgumentParser
import Bluetooth
import Provisioning

/// Which unit on the air, and by which adapter.
struct RadioOptions: ParsableArguments, Sendable {
    @Option(help: ArgumentHelp("Use the unit with this address or name. The default is the only one in reach.", valueName: "address|name"))
    var device: String?

    @Flag(help: "Use the unit beside the adapter. It needs at least -65 dBm, and no other unit may be as near.")
    var nearest = false

    @Option(help: "Use only a unit of this family. The default is what is found in reach.")
    var family: FamilyName?

    @Option(help: AdapterName.help)
    var adapter: AdapterName?

    @OptionGroup var waiting: WaitOption

    var isGiven: Bool { device != nil || nearest || family != nil || adapter != nil }

    func validate() throws {
        if device != nil, nearest { throw ValidationError("Give either --device or --nearest.") }
        try Self.check(device: device)
    }

    static func check(device: String?) throws {
        if let device, !(1...ListedUnit.nameLimit).contains(device.utf8.count) {
            throw ValidationError("--device is an address such as D3:5A:00:11:22:33, or a name of at most \(ListedUnit.nameLimit) bytes.")
        }
    }

    static func selector(device: String?, nearest: Bool) -> UnitSelector {
        guard let device else { return nearest ? .nearest : .only }
        return ListedUnit(device).selector
    }

    var value: RadioSelection {
        RadioSelection(
            selector: Self.selector(device: device, nearest: nearest), family: family?.id, adapter: adapter?.text, wait: waiting.value)
    }
}
