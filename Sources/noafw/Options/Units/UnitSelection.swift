import Provisioning

/// The units that a verb works on, one or several, and by which adapters.
struct UnitSelection: Sendable, Hashable {
    enum Units: Sendable, Hashable {
        case inReach
        case listed([ListedUnit])
        case virtual([VirtualUnitName], VirtualSpeed)
        /// The unit on the air that is meant.
        case one(UnitSelector)
    }

    static let mostVirtualUnits = 1000

    var units: Units
    /// `nil` is any that the verb works on.
    var family: FamilyID?
    /// The families that the verb is for; `nil` is all whose units can be provisioned.
    var verbFamilies: Set<FamilyID>?
    /// As `--adapter` names them; none is the first one that is on.
    var adapters: [String] = []
    /// What the one unit is called from now on.
    var label: String?
    /// Where the one unit answers over a network; `nil` for where units of its family usually do.
    var place: String?
    var jobsPerAdapter = FleetPolicy.usualJobs
    /// How long units are waited for; `nil` is the verb's own time.
    var wait: Duration?

    var isOne: Bool { if case .one = units { true } else { false } }

    /// The families of which its units may be; on the air their advertisements decide.
    var families: [SupportedFamily] {
        let verbs = recognised.filter { verbFamilies?.contains($0.id) ?? ($0.family.provisioning != nil) }
        if case .virtual(let names, _) = units { return verbs.filter { family in names.contains { $0.family == family.id } } }
        return verbs.filter { (family == nil || family == $0.id) && (place == nil || $0.family.network != nil) }
    }

    /// The same for a verb that is for some families.
    func only(_ families: Set<FamilyID>) -> UnitSelection {
        var selection = self
        selection.verbFamilies = families
        return selection
    }

    /// All families. One whose units are written to over a network is so only for the one unit that is named.
    var recognised: [SupportedFamily] {
        SupportedFamily.all.map { support in
            guard let network = support.family.network, isReached(support.id) else { return support }
            let place = place ?? network.usualPlace
            return support.reached { place }
        }
    }

    private func isReached(_ id: FamilyID) -> Bool {
        if case .virtual = units { return true }
        return isOne && (place != nil || family == id)
    }

    /// What the only unit is called in a report before it is found.
    var target: ReportTarget {
        if case .virtual(let names, _) = units { return ReportTarget(id: names.first?.description, family: names.first?.family) }
        return ReportTarget(id: nil, family: family)
    }

    /// Whether its units may be given development images.
    func allowsDevelopment(_ inputs: AssetInputs) -> Bool {
        if case .virtual = units { true } else { inputs.allowsDevelopment }
    }
}

/// The unit that a run was asked for; all that is known when it ends early.
struct ReportTarget: Sendable {
    /// As the command line names it; `nil` for a unit that its address identifies.
    var id: String?
    /// `nil` where the air decides.
    var family: FamilyID?
}
