import ArgumentParser

/// Which unit a verb works on.
struct UnitOptions: ParsableArguments, Sendable {
    @OptionGroup var radio: RadioOptions

    @Option(
        name: .customLong("virtual"),
        help: ArgumentHelp("A virtual unit instead: monocle, or monocle:NAME for one of several.", valueName: "family[:name]"),
        completion: VirtualUnitName.completion, transform: VirtualUnitName.init(argument:))
    var virtual: VirtualUnitName?

    @Option(
        name: .customLong("virtual-speed"),
        help: ArgumentHelp("The virtual unit's pace: 1 is a real link's, max is as fast as it goes.", valueName: "n|max"))
    var speed: VirtualSpeed?

    func validate() throws {
        if virtual != nil, radio.isGiven {
            throw ValidationError("--virtual names the unit already: leave out --device, --nearest and --adapter.")
        }
        if virtual == nil, speed != nil { throw ValidationError("--virtual-speed belongs to --virtual.") }
    }

    var value: UnitSelection {
        virtual.map { .virtual(VirtualUnit(name: $0, speed: speed ?? .times(1))) } ?? .radio(radio.value)
    }
}
