import Bluetooth
import Provisioning

/// A verb's units, one or several, and their adapters.
struct UnitSelection: Sendable, Hashable {
    enum Units: Sendable, Hashable {
        case inReach
        case listed([ListedUnit])
        case virtual([VirtualUnitName], VirtualSpeed)
        /// The selected unit on the air.
        case one(UnitSelector)
    }

    static let mostVirtualUnits = 1000

    var units: Units
    /// `nil` is any that the verb supports.
    var family: FamilyID?
    /// The verb's families; `nil` is all whose units can be provisioned.
    var verbFamilies: Set<FamilyID>?
    /// From `--adapter`; none is the first one that is on.
    var adapters: [String] = []
    /// The one unit's new name.
    var label: String?
    /// The one unit's network address; `nil` for its family's usual one.
    var place: String?
    var jobsPerAdapter = FleetPolicy.usualJobs
    /// Of several units in reach, the one that is meant where none is named.
    var resumes: DeviceAddress?
    /// How long to wait for units; `nil` is the verb's own time.
    var wait: Duration?

    var isOne: Bool { if case .one = units { true } else { false } }

    /// The possible families; on the air the advertisements decide.
    var families: [SupportedFamily] {
        let verbs = recognised.filter { verbFamilies?.contains($0.id) ?? ($0.family.provisioning != nil) }
        if case .virtual(let names, _) = units { return verbs.filter { family in names.contains { $0.family == family.id } } }
        return verbs.filter { (family == nil || family == $0.id) && (place == nil || $0.family.network != nil) }
    }

    /// The families whose files a run needs.
    /// - Throws: ``ProvisioningError/noConsole(_:instead:)`` when no selected unit can be provisioned: no radio is used.
    var provisioned: [Family] {
        get throws(ProvisioningError) {
            let families = families.map(\.family)
            let named: FamilyID? = if case .virtual(let names, _) = units { names.first?.family } else { family }
            guard families.isEmpty, let family = named.flatMap({ FamilyList.supported[$0] }) else { return families }
            let instead = family.network == nil ? nil : "name one unit with --device, and its web page with --url"
            throw .noConsole(family.id, instead: family.insteadOfFlash ?? instead)
        }
    }

    /// The same for a verb that is limited to some families.
    func only(_ families: Set<FamilyID>) -> UnitSelection {
        var selection = self
        selection.verbFamilies = families
        return selection
    }

    /// All families. One with network firmware supports that only for the one selected unit.
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

    /// The only unit's name in a report before it is found.
    var target: ReportTarget {
        if case .virtual(let names, _) = units { return ReportTarget(id: names.first?.description, family: names.first?.family) }
        return ReportTarget(id: nil, family: family)
    }

    /// Whether its units may get development images.
    func allowsDevelopment(_ inputs: AssetInputs) -> Bool {
        if case .virtual = units { true } else { inputs.allowsDevelopment }
    }
}

/// The requested unit; all that is known when a run ends early.
struct ReportTarget: Sendable {
    /// From the command line; `nil` for a unit identified by its address.
    var id: String?
    /// `nil` when the air decides.
    var family: FamilyID?
}
