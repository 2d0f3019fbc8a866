import ArgumentParser
import Provisioning

struct UnitOptions: ParsableArguments, UnitChoice, Sendable {
    @Option(help: UnitChoiceHelp.device, completion: LiveCompletion.units)
    var device: String?

    @Flag(help: UnitChoiceHelp.nearest)
    var nearest = false

    @Option(help: UnitChoiceHelp.family)
    var family: FamilyName?

    @Option(help: UnitChoiceHelp.label)
    var label: String?

    @Option(help: AdapterName.help)
    var adapter: AdapterName?

    @Option(help: WaitOption.help)
    var wait: Double?

    @Option(
        help: ArgumentHelp(
            "Use a virtual unit of this family (\(VirtualUnitName.familyNames)). FAMILY:NAME is one of several.",
            valueName: "family[:name]"),
        completion: VirtualUnitName.completion, transform: VirtualUnitName.init(argument:))
    var virtual: VirtualUnitName?

    @Option(help: VirtualSpeed.help)
    var virtualSpeed: VirtualSpeed?

    func validate() throws {
        try check()
        if virtual != nil, isGiven || adapter != nil { throw ValidationError(VirtualUnitName.misuse) }
        try VirtualSpeed.check(virtualSpeed, isVirtual: virtual != nil)
    }

    var value: UnitSelection {
        if let virtual { return UnitSelection(units: .virtual([virtual], pace)) }
        return UnitSelection(
            units: .one(selector), family: family?.id, adapters: adapter.map { [$0.text] } ?? [], label: label,
            wait: waitTime)
    }
}
