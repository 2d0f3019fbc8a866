import ArgumentParser
import BlueZ
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

    @Option(help: ArgumentHelp("Use this Bluetooth adapter. The default is the first one that is on.", valueName: "hciN"))
    var adapter: String?

    var isGiven: Bool { device != nil || nearest || family != nil || adapter != nil }

    func validate() throws {
        if device != nil, nearest { throw ValidationError("Give either --device or --nearest.") }
        if let device, !(1...64).contains(device.utf8.count) {
            throw ValidationError("--device is an address such as D3:5A:00:11:22:33, or a name of at most 64 bytes.")
        }
        try Self.check(adapter: adapter)
    }

    /// For the verbs that take an adapter without a unit, too.
    static func check(adapter: String?) throws {
        if let adapter, AdapterSelector(adapter) == nil {
            throw ValidationError("--adapter is a name such as hci0, an adapter's address, or its USB port such as usb:1-1.4.")
        }
    }

    var value: RadioSelection {
        let selector: UnitSelector = if let device {
            DeviceAddress(device).map { .address($0) } ?? .name(device)
        } else {
            nearest ? .nearest : .only
        }
        return RadioSelection(selector: selector, family: family?.id, adapter: adapter)
    }
}
