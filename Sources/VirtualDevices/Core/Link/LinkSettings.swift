/// What a unit's surroundings make of its links.
package struct LinkSettings: Sendable {
    var faults: FaultPlan
    /// ATT MTU, in bytes, of any of the unit's modes.
    var largestMTU: Int
    /// Link set-up and service discovery, as a host sees them. Zero when a real host does them.
    var setUpTime: Duration
    /// How often a unit repeats its advertisement to whoever discovers.
    var advertisingInterval: Duration

    package init(
        faults: FaultPlan = FaultPlan(), largestMTU: Int, setUpTime: Duration = .milliseconds(400), advertisingInterval: Duration = .milliseconds(100)
    ) {
        (self.faults, self.largestMTU, self.setUpTime, self.advertisingInterval) = (faults, largestMTU, setUpTime, advertisingInterval)
    }
}
