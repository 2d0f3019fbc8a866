import ArgumentParser
import Bluetooth
import Provisioning

/// Selects one unit on the air.
struct SelectorOptions: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp(
            "Use the unit with this address, its name of noafw units, or the name that it advertises. The default is the only one in "
                + "reach.",
            valueName: "address|name"),
        completion: LiveCompletion.units)
    var device: String?

    @Flag(help: "Use the nearest unit. It needs at least -65 dBm, and no other unit may be as near.")
    var nearest = false

    @Option(help: "Use only units of this family. The default is what is found in reach.")
    var family: FamilyName?

    @Option(help: ArgumentHelp("Call the unit so from now on, as noafw units name does.", valueName: "name"))
    var label: String?

    var isGiven: Bool { device != nil || nearest || family != nil || label != nil }

    func validate() throws {
        if device != nil, nearest { throw ValidationError("Give either --device or --nearest.") }
        if let device, !(1...ListedUnit.nameLimit).contains(device.utf8.count) {
            throw ValidationError("--device is an address such as D3:5A:00:11:22:33, or a name of at most \(ListedUnit.nameLimit) bytes.")
        }
        if let label, let reason = UnitNames.refusal(of: label) { throw ValidationError("--label: \(reason).") }
    }

    var selector: UnitSelector { device.map { ListedUnit($0).selector } ?? (nearest ? .nearest : .only) }
}

struct VirtualSpeedOption: ParsableArguments, Sendable {
    @Option(
        name: .customLong("virtual-speed"),
        help: ArgumentHelp(
            "Set the pace of the virtual units: 1 is that of a real link, max is as fast as possible.", valueName: "n|max"))
    var speed: VirtualSpeed?

    static let misuse = "--virtual names the unit already: leave out --device, --nearest, --family, --label and --adapter."

    /// - Throws: `ValidationError` without a virtual unit.
    func check(isVirtual: Bool) throws {
        if !isVirtual, speed != nil {
            throw ValidationError("--virtual-speed belongs to --virtual: add --virtual monocle, or leave it out.")
        }
    }

    var value: VirtualSpeed { speed ?? .times(1) }
}
