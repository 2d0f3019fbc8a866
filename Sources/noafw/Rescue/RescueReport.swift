import Bluetooth
import Provisioning

/// What became of the units that were found in their bootloaders.
struct RescueReport: Verdict {
    /// The ones that were worked on.
    var units: [UnitReport]
    /// Those of them that another station or process works on: nothing was done to them.
    var inUse: Set<DeviceAddress> = []
    /// Bootloaders that this station has not met and nobody named.
    var strangers: [DiscoveredUnit]
    /// Bootloaders at the next address of a unit that runs its application: whoever they are, that unit is not stranded.
    var impostors: [DiscoveredUnit] = []
    /// The named unit, when it is not stranded at all.
    var running: DiscoveredUnit?

    func verdict(_ unit: UnitReport) -> FleetVerdict { inUse.contains(unit.identity.address) ? .inUse : unit.passed ? .pass : .fail }

    /// Others beside units of ours fail nothing: they may be anybody's.
    var passed: Bool { units.isEmpty ? strangers.isEmpty && impostors.isEmpty : units.allSatisfy(\.passed) }
}
