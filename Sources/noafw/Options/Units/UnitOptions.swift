import ArgumentParser
import Provisioning

struct UnitOptions: ParsableArguments, Sendable {
    @OptionGroup var unit: SelectorOptions

    @Option(help: AdapterName.help)
    var adapter: AdapterName?

    @OptionGroup var waiting: WaitOption

    @Option(
        help: ArgumentHelp(
            "Use a virtual unit of this family (\(VirtualUnitName.familyNames)). FAMILY:NAME is one of several.",
            valueName: "family[:name]"),
        completion: VirtualUnitName.completion, transform: VirtualUnitName.init(argument:))
    var virtual: VirtualUnitName?

    @OptionGroup var pace: VirtualSpeedOption

    func validate() throws {
        if virtual != nil, unit.isGiven || adapter != nil { throw ValidationError(VirtualSpeedOption.misuse) }
        try pace.check(isVirtual: virtual != nil)
    }

    var value: UnitSelection {
        if let virtual { return UnitSelection(units: .virtual([virtual], pace.value)) }
        return UnitSelection(
            units: .one(unit.selector), family: unit.family?.id, adapters: adapter.map { [$0.text] } ?? [], label: unit.label,
            wait: waiting.value)
    }
}
