/// What a unit's surroundings make of its links.
struct LinkSettings: Sendable {
    var faults = FaultPlan()
    /// ATT MTU, in bytes, of any of the unit's modes.
    var largestMTU: Int
    /// Link set-up and service discovery, as a host sees them. Zero when a real host does them.
    var setUpTime: Duration = .milliseconds(400)
    /// How often a unit repeats its advertisement to whoever discovers.
    var advertisingInterval: Duration = .milliseconds(100)
}
