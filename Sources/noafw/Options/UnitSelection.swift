import MonocleFamily
import Provisioning

/// The unit a verb works on.
enum UnitSelection: Sendable, Hashable {
    case virtual(VirtualUnitSelection)
    case radio(RadioSelection)

    /// What it is called in a report before it is found.
    var target: ReportTarget {
        switch self {
        case .virtual(let unit): ReportTarget(id: unit.name.description, family: unit.name.family)
        case .radio: ReportTarget(id: nil, family: family.id)
        }
    }

    /// On the air there is one family that can be asked.
    var family: Family {
        let families = FamilyList.supported
        let named: Family? = if case .virtual(let unit) = self { families[unit.name.family] } else { nil }
        return named ?? .monocle
    }
}

/// A unit on the air.
struct RadioSelection: Sendable, Hashable {
    var selector: UnitSelector
    /// Such as `hci0`; `nil` is the first one.
    var adapter: String?
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
    var family: FamilyID
}
