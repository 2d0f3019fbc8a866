import Provisioning

/// The unit a verb works on.
enum UnitSelection: Sendable, Hashable {
    case virtual(VirtualUnitSelection)
    case radio(RadioSelection)

    /// What it is called in a report before it is found.
    var target: ReportTarget {
        switch self {
        case .virtual(let unit): ReportTarget(id: unit.name.description, family: unit.name.family)
        case .radio(let selection): ReportTarget(id: nil, family: selection.family)
        }
    }

    /// Whether the unit may be given development images.
    func allowsDevelopment(_ inputs: AssetInputs) -> Bool {
        switch self {
        case .virtual: true
        case .radio: inputs.allowsDevelopment
        }
    }

    /// The families of which it may be; on the air its advertisement decides.
    var families: [SupportedFamily] {
        switch self {
        case .virtual(let unit): SupportedFamily.all.filter { $0.id == unit.name.family }
        case .radio(let selection): SupportedFamily.provisioned(selection.family)
        }
    }
}

/// A unit on the air.
struct RadioSelection: Sendable, Hashable {
    var selector: UnitSelector
    /// `nil` is any that noafw talks to.
    var family: FamilyID?
    /// As `--adapter` names it; `nil` is the first one that is on.
    var adapter: String?
    /// How long it is waited for; `nil` is the time of a look around.
    var wait: Duration?
}

/// A virtual unit as `--virtual` names it, and the pace of its air.
struct VirtualUnitSelection: Sendable, Hashable {
    var name: VirtualUnitName
    var speed: VirtualSpeed
}

/// The unit that a run was asked for; all that is known when it ends early.
struct ReportTarget: Sendable {
    /// As the command line names it; `nil` for a unit that its address identifies.
    var id: String?
    /// `nil` where the air decides.
    var family: FamilyID?
}
