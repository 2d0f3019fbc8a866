import ArgumentParser
import Bluetooth
import Provisioning

/// Which units `flash` and `verify` work on: one, or several at once.
struct UnitsOptions: ParsableArguments, Sendable {
    @Option(help: ArgumentHelp("Use the unit with this address or name. The default is the only one in reach.", valueName: "address|name"))
    var device: String?

    @Flag(help: "Use the unit beside the adapter. It needs at least -65 dBm, and no other unit may be as near.")
    var nearest = false

    @Flag(help: "Use every unit in reach.")
    var all = false

    @Option(
        help: ArgumentHelp("Use the units of this file: an address or name a line, # begins a comment.", valueName: "file"),
        completion: .file())
    var devices: InputName?

    @Option(help: "Use only units of this family. The default is what is found in reach.")
    var family: FamilyName?

    @Option(
        help: ArgumentHelp(
            "Use this Bluetooth adapter. Repeat for more. The default is the first one that is on.", valueName: AdapterName.form))
    var adapter: [AdapterName] = []

    @Option(
        name: .customLong("virtual"),
        help: ArgumentHelp(
            "Use a virtual unit of this family (\(VirtualUnitName.families.map(\.rawValue).joined(separator: ", "))). FAMILY:NAME is "
                + "one of several. Repeat for more units.",
            valueName: "family[:name]"),
        completion: VirtualUnitName.completion, transform: VirtualUnitName.init(argument:))
    var virtual: [VirtualUnitName] = []

    @Option(help: ArgumentHelp("Use this many virtual units of each --virtual.", valueName: "n"))
    var count: Int?

    @Option(
        name: .customLong("virtual-speed"),
        help: ArgumentHelp("Set the pace of the virtual units: 1 is that of a real link, max is as fast as possible.", valueName: "n|max"))
    var speed: VirtualSpeed?

    @OptionGroup var waiting: WaitOption

    @Option(help: ArgumentHelp("Work on up to this many units at once on each adapter, from 1 to 4.", valueName: "n"))
    var jobs: Int?

    func validate() throws {
        try RadioOptions.check(device: device)
        let choices = [device != nil, nearest, all, devices != nil, !virtual.isEmpty].count { $0 }
        if choices > 1 { throw ValidationError("Give only one of --device, --nearest, --all, --devices and --virtual.") }
        try checkVirtual()
        if Set(adapter).count < adapter.count { throw ValidationError("--adapter names the same adapter twice.") }
        if let jobs, !(1...FleetPolicy.mostJobs).contains(jobs) {
            throw ValidationError("--jobs is a number from 1 to \(FleetPolicy.mostJobs).")
        }
    }

    private func checkVirtual() throws {
        if !virtual.isEmpty, family != nil || !adapter.isEmpty {
            throw ValidationError("--virtual names the unit already: leave out --device, --nearest, --family and --adapter.")
        }
        if virtual.isEmpty, speed != nil {
            throw ValidationError("--virtual-speed belongs to --virtual: add --virtual monocle, or leave it out.")
        }
        if virtual.isEmpty, count != nil {
            throw ValidationError("--count is a number of virtual units: add --virtual monocle, or leave it out.")
        }
        if let count, !(1...FleetSelection.mostVirtualUnits).contains(count) {
            throw ValidationError("--count is a number from 1 to \(FleetSelection.mostVirtualUnits).")
        }
        if Set(virtualUnits).count < virtualUnits.count { throw ValidationError("--virtual names the same unit twice.") }
        guard virtualUnits.allSatisfy({ $0.name.utf8.count <= VirtualUnitName.lengthLimit }) else {
            throw ValidationError("a counted unit has its number behind its name: give a shorter name.")
        }
    }

    /// Whether more than one unit can be meant.
    var isFleet: Bool { all || devices != nil || count != nil || virtual.count > 1 }

    /// `monocle`, `monocle:2`, `monocle:3`: the first one is what it is without a count.
    private var virtualUnits: [VirtualUnitName] {
        virtual.flatMap { unit in (1...max(1, count ?? 1)).map { unit.numbered($0) } }
    }

    /// The only unit that is meant; `nil` where several can be.
    var target: ReportTarget? {
        isFleet ? nil : ReportTarget(id: virtual.first?.description, family: virtual.first?.family ?? family?.id)
    }

    /// - Throws: ``DeviceListError``, and what is wrong with reading the file.
    func fleet(in context: CommandContext) throws -> FleetSelection {
        FleetSelection(
            units: try units(in: context), family: family?.id, adapters: adapter.map(\.text), jobsPerAdapter: jobs ?? FleetPolicy.usualJobs,
            wait: waiting.value)
    }

    private func units(in context: CommandContext) throws -> FleetSelection.Units {
        if let devices { return .listed(try DeviceList.read(context.path(devices))) }
        if !virtual.isEmpty { return .virtual(virtualUnits, speed ?? .times(1)) }
        return all ? .inReach : .one(RadioOptions.selector(device: device, nearest: nearest))
    }
}
