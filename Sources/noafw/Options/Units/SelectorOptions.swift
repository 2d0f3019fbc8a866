import ArgumentParser
import Bluetooth
import Provisioning

/// Which unit of those on the air.
struct SelectorOptions: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp("Use the unit with this address or name. The default is the only one in reach.", valueName: "address|name"),
        completion: LiveCompletion.units)
    var device: String?

    @Flag(help: "Use the unit beside the adapter. It needs at least -65 dBm, and no other unit may be as near.")
    var nearest = false

    @Option(help: "Use only units of this family. The default is what is found in reach.")
    var family: FamilyName?

    var isGiven: Bool { device != nil || nearest || family != nil }

    func validate() throws {
        if device != nil, nearest { throw ValidationError("Give either --device or --nearest.") }
        if let device, !(1...ListedUnit.nameLimit).contains(device.utf8.count) {
            throw ValidationError("--device is an address such as D3:5A:00:11:22:33, or a name of at most \(ListedUnit.nameLimit) bytes.")
        }
    }

    var selector: UnitSelector { device.map { ListedUnit($0).selector } ?? (nearest ? .nearest : .only) }
}

/// The pace of virtual units.
struct VirtualSpeedOption: ParsableArguments, Sendable {
    @Option(
        name: .customLong("virtual-speed"),
        help: ArgumentHelp(
            "Set the pace of the virtual units: 1 is that of a real link, max is as fast as possible.", valueName: "n|max"))
    var speed: VirtualSpeed?

    static let misuse = "--virtual names the unit already: leave out --device, --nearest, --family and --adapter."

    /// - Throws: `ValidationError` without a virtual unit.
    func check(isVirtual: Bool) throws {
        if !isVirtual, speed != nil {
            throw ValidationError("--virtual-speed belongs to --virtual: add --virtual monocle, or leave it out.")
        }
    }

    var value: VirtualSpeed { speed ?? .times(1) }
}
