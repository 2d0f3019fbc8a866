import ArgumentParser
import Bluetooth
import Provisioning

/// Selects the units of `flash` and `verify`: one, or several at once.
struct UnitsOptions: ParsableArguments, UnitChoice, Sendable {
    @Option(help: UnitChoiceHelp.device, completion: LiveCompletion.units)
    var device: String?

    @Flag(help: UnitChoiceHelp.nearest)
    var nearest = false

    @Option(help: UnitChoiceHelp.family)
    var family: FamilyName?

    @Option(help: UnitChoiceHelp.label)
    var label: String?

    @Flag(help: "Use every unit in reach.")
    var all = false

    @Option(
        help: ArgumentHelp("Use the units in this file: an address or name a line, # begins a comment.", valueName: "file"),
        completion: .file())
    var devices: InputName?

    @Option(
        help: ArgumentHelp(
            "Use this Bluetooth adapter. Repeat for more. The default is the first one that is on.", valueName: AdapterName.form))
    var adapter: [AdapterName] = []

    @Option(
        help: ArgumentHelp(
            "Use a virtual unit of this family (\(VirtualUnitName.familyNames)). FAMILY:NAME is one of several. Repeat for more units.",
            valueName: "family[:name]"),
        completion: VirtualUnitName.completion, transform: VirtualUnitName.init(argument:))
    var virtual: [VirtualUnitName] = []

    @Option(help: ArgumentHelp("Use this many virtual units of each --virtual.", valueName: "n"))
    var count: Int?

    @Option(help: VirtualSpeed.help)
    var virtualSpeed: VirtualSpeed?

    @Option(help: WaitOption.help)
    var wait: Double?

    @Option(help: ArgumentHelp("Work on up to this many units at once on each adapter, from 1 to 4.", valueName: "n"))
    var jobs: Int?

    func validate() throws {
        try check()
        let choices = [device != nil, nearest, all, devices != nil, !virtual.isEmpty].count { $0 }
        if choices > 1 { throw ValidationError("Give only one of --device, --nearest, --all, --devices and --virtual.") }
        try checkVirtual()
        if label != nil, isFleet { throw ValidationError("--label is the name of one unit: leave it out, or name that unit alone.") }
        if Set(adapter).count < adapter.count { throw ValidationError("--adapter names the same adapter twice.") }
        if let jobs, !(1...FleetPolicy.mostJobs).contains(jobs) {
            throw ValidationError("--jobs is a number from 1 to \(FleetPolicy.mostJobs).")
        }
    }

    private func checkVirtual() throws {
        if !virtual.isEmpty, family != nil || label != nil || !adapter.isEmpty {
            throw ValidationError(VirtualUnitName.misuse)
        }
        try VirtualSpeed.check(virtualSpeed, isVirtual: !virtual.isEmpty)
        if virtual.isEmpty, count != nil {
            throw ValidationError("--count is a number of virtual units: add --virtual monocle, or leave it out.")
        }
        if let count, !(1...UnitSelection.mostVirtualUnits).contains(count) {
            throw ValidationError("--count is a number from 1 to \(UnitSelection.mostVirtualUnits).")
        }
        if Set(virtualUnits).count < virtualUnits.count { throw ValidationError("--virtual names the same unit twice.") }
        guard virtualUnits.allSatisfy({ $0.name.utf8.count <= VirtualUnitName.lengthLimit }) else {
            throw ValidationError("a counted unit's name ends with its number: give a shorter name.")
        }
    }

    /// Whether more than one unit is possible.
    var isFleet: Bool { all || devices != nil || count != nil || virtual.count > 1 }

    /// `monocle`, `monocle:2`, `monocle:3`: the first keeps its plain name.
    private var virtualUnits: [VirtualUnitName] {
        virtual.flatMap { unit in (1...max(1, count ?? 1)).map { unit.numbered($0) } }
    }

    /// The only possible unit; `nil` if several are.
    var target: ReportTarget? {
        isFleet ? nil : ReportTarget(id: virtual.first?.description, family: virtual.first?.family ?? family?.id)
    }

    /// - Throws: ``DeviceListError``, and errors of reading the file.
    func fleet(in context: CommandContext) throws -> UnitSelection {
        UnitSelection(
            units: try units(in: context), family: family?.id, adapters: adapter.map(\.text), label: label,
            jobsPerAdapter: jobs ?? FleetPolicy.usualJobs, wait: waitTime)
    }

    private func units(in context: CommandContext) throws -> UnitSelection.Units {
        if let devices { return .listed(try DeviceList.read(context.path(devices)).map(\.resolved)) }
        if !virtual.isEmpty { return .virtual(virtualUnits, pace) }
        return all ? .inReach : .one(selector)
    }
}
