import ArgumentParser
import Bluetooth
import Provisioning

/// Options that name one unit, and how it is reached. Each verb's group declares them itself: in a debug build ArgumentParser checks every
/// group of a group four times, and those in it four times for each.
protocol UnitChoice {
    var device: String? { get }
    var nearest: Bool { get }
    var family: FamilyName? { get }
    var label: String? { get }
    var wait: Double? { get }
    var virtualSpeed: VirtualSpeed? { get }
}

/// What help says of them.
enum UnitChoiceHelp {
    static let device = ArgumentHelp(
        "Use the unit with this address, its name of noafw units, or the name that it advertises. The default is the only one in reach.",
        valueName: "address|name")
    static let nearest = ArgumentHelp("Use the nearest unit. It needs at least -65 dBm, and no other unit may be as near.")
    static let family = ArgumentHelp("Use only units of this family. The default is what is found in reach.")
    static let label = ArgumentHelp("Call the unit so from now on, as noafw units name does.", valueName: "name")
}

extension UnitChoice {
    var isGiven: Bool { device != nil || nearest || family != nil || label != nil }

    /// - Throws: `ValidationError`.
    func check() throws {
        if device != nil, nearest { throw ValidationError("Give either --device or --nearest.") }
        if let device, !(1...ListedUnit.nameLimit).contains(device.utf8.count) {
            throw ValidationError("--device is an address such as D3:5A:00:11:22:33, or a name of at most \(ListedUnit.nameLimit) bytes.")
        }
        if let label, let reason = UnitNames.refusal(of: label) { throw ValidationError("--label: \(reason).") }
        try WaitOption.check(wait)
    }

    var selector: UnitSelector { device.map { ListedUnit($0).selector } ?? (nearest ? .nearest : .only) }

    var pace: VirtualSpeed { virtualSpeed ?? .times(1) }

    var waitTime: Duration? { wait.map { .seconds($0) } }
}
