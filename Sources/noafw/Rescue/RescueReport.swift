import Bluetooth
import Provisioning
import Support

/// Units stranded in their bootloaders, and other bootloaders in reach.
struct StrandedUnits: Sendable {
    /// Units that this station has worked on, or that were named.
    var units: [DiscoveredUnit] = []
    /// Unknown bootloaders that nobody named.
    var strangers: [DiscoveredUnit] = []
    /// Bootloaders at the next address of a unit whose application runs: that unit is not stranded.
    var impostors: [DiscoveredUnit] = []
    /// The named unit, when it is not stranded.
    var running: DiscoveredUnit?

    /// Long enough to hear everything in reach.
    private static let listening = Duration.seconds(6)

    /// An address selects its unit, known or not: the application's or the bootloader's, although a neighbour's application may have the
    /// latter.
    /// - Parameter isDraining: nobody waits for more.
    /// - Throws: ``UnitSelectionError/noneAtAddress(_:inReach:)`` when the named unit is not heard.
    static func find(at station: Station, isDraining: @Sendable () -> Bool) async throws -> StrandedUnits {
        let known = try await station.endStaleConnections()
        let central = try station.firstAdapter.fleet.central
        let named: DeviceAddress? = if case .address(let address) = station.selector { address } else { nil }
        let isWanted = { @Sendable (unit: DiscoveredUnit) in
            known.contains(unit.address) || unit.address == named || unit.advertisedAddress == named
        }
        let clock = central.clock
        let listened = clock.deadline(in: listening)
        var heard: [DiscoveredUnit] = []
        // Even if heard only once: a unit that restarts is not stranded.
        var running: [DeviceAddress: DiscoveredUnit] = [:]
        try await UnitFinder(central: central, families: .supported).watch(
            until: clock.deadline(in: max(listening, station.selection.wait ?? .zero)), wanting: isWanted
        ) { seen, now in
            heard = seen.filter(\.isSupported)
            for unit in heard where unit.mode == .application { running[unit.address] = unit }
            return isDraining() || now >= listened && heard.contains(where: isWanted)
        }
        let bootloaders = heard.filter { $0.mode == .bootloader }
        var found = StrandedUnits()
        guard let named else {
            for unit in bootloaders {
                if running[unit.address] != nil {
                    found.impostors.append(unit)
                } else if known.contains(unit.address) {
                    found.units.append(unit)
                } else {
                    found.strangers.append(unit)
                }
            }
            return found
        }
        let unit = bootloaders.first { $0.address == named } ?? bootloaders.first { running[named] == nil && $0.advertisedAddress == named }
        found.running = running[named] ?? unit.flatMap { running[$0.address] }
        guard unit != nil || found.running != nil else { throw UnitSelectionError.noneAtAddress(named, inReach: heard) }
        if found.running == nil { found.units = unit.map { [$0] } ?? [] } else { found.impostors = unit.map { [$0] } ?? [] }
        return found
    }
}

/// What became of the stranded units.
struct RescueReport: Verdict {
    var fleet: FleetReport<UnitReport>
    var heard: StrandedUnits

    /// Unknown bootloaders next to our units fail nothing: they may be anybody's.
    var passed: Bool { fleet.entries.isEmpty ? heard.strangers.isEmpty && heard.impostors.isEmpty : fleet.passed }
}
