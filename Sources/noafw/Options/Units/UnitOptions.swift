import ArgumentParser
import Provisioning

/// Which unit a verb works on.
struct UnitOptions: ParsableArguments, Sendable {
    @OptionGroup var radio: RadioOptions

    @Option(
        name: .customLong("virtual"),
        help: ArgumentHelp(
            "Use a virtual unit of this family (\(VirtualUnitName.families.map(\.rawValue).joined(separator: ", "))). FAMILY:NAME is "
                + "one of several.",
            valueName: "family[:name]"),
        completion: VirtualUnitName.completion, transform: VirtualUnitName.init(argument:))
    var virtual: VirtualUnitName?

    @Option(
        name: .customLong("virtual-speed"),
        help: ArgumentHelp("Set the pace of the virtual unit: 1 is that of a real link, max is as fast as possible.", valueName: "n|max"))
    var speed: VirtualSpeed?

    func validate() throws {
        if virtual != nil, radio.isGiven {
            throw ValidationError("--virtual names the unit already: leave out --device, --nearest, --family and --adapter.")
        }
        if virtual == nil, speed != nil {
            throw ValidationError("--virtual-speed belongs to --virtual: add --virtual monocle, or leave it out.")
        }
    }

    var value: UnitSelection {
        virtual.map { .virtual(VirtualUnitSelection(name: $0, speed: speed ?? .times(1))) } ?? .radio(radio.value)
    }
}
