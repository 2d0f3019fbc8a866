import Provisioning

/// The units that a verb works on at once, and by which adapters.
struct FleetSelection: Sendable, Hashable {
    enum Units: Sendable, Hashable {
        case inReach
        case listed([ListedUnit])
        case virtual([VirtualUnitName], VirtualSpeed)
        /// The unit on the air that is meant.
        case one(UnitSelector)
    }

    static let mostVirtualUnits = 1000

    var units: Units
    /// `nil` is any that noafw talks to.
    var family: FamilyID?
    /// As `--adapter` names them; none is the first one that is on.
    var adapters: [String] = []
    var jobsPerAdapter = FleetPolicy.usualJobs
    /// How long units are waited for; `nil` is the verb's own time.
    var wait: Duration?

    var isOne: Bool { if case .one = units { true } else { false } }

    /// The families of which its units may be; on the air their advertisements decide.
    var families: [SupportedFamily] {
        if case .virtual(let names, _) = units { return SupportedFamily.all.filter { family in names.contains { $0.family == family.id } } }
        return SupportedFamily.provisioned(family)
    }

    /// Whether its units may be given development images.
    func allowsDevelopment(_ inputs: AssetInputs) -> Bool {
        if case .virtual = units { true } else { inputs.allowsDevelopment }
    }
}
