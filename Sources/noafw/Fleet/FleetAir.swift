import Bluetooth
import Provisioning
import Support

/// Who is on the air for a fleet.
struct FleetAir: Sendable {
    /// Units advertise several times a second: who is in reach is heard within this time.
    private static let census = Duration.seconds(4)

    var selection: FleetSelection
    var stateFolder: String
    var notice: @Sendable (String) -> Void

    /// - Throws: ``UnitSelectionError`` for an empty fleet, ``LinkError``, ``StateFileError``.
    func targets(_ adapters: [FleetAdapter]) async throws -> FleetTargets {
        let known = try KnownUnits(stateFolder: stateFolder).load()
        let families = Set(selection.families.map(\.id))
        for adapter in adapters {
            let station = RadioStation(central: adapter.central, stateFolder: stateFolder, notice: notice)
            try await station.endStaleConnections(.only, families: families, known: known)
        }
        var targets = FleetTargets()
        switch selection.units {
        case .listed(let units): units.forEach { targets.add($0) }
        case .one(let selector):
            guard let first = adapters.first else { throw LinkError.unavailable("there is no adapter") }
            let addresses = Set(known.compactMap { DeviceAddress($0.address) })
            targets.add(
                try await UnitFinder(central: first.central, families: .supported).find(
                    selector, families: families, known: addresses, within: selection.wait ?? UnitFinder.timeout,
                    leaving: { notice($0.leftAlone) }))
        case .inReach:
            for unit in try await inReach(adapters, families, Set(known.compactMap { DeviceAddress($0.address) })) { targets.add(unit) }
        case .virtual: break
        }
        return targets
    }

    private func inReach(
        _ adapters: [FleetAdapter], _ families: Set<FamilyID>, _ known: Set<DeviceAddress>
    ) async throws -> [DiscoveredUnit] {
        guard let clock = adapters.first?.central.clock else { return [] }
        let fleet = Fleet<UnitReport>(
            adapters: adapters, families: .supported, judge: { _ in .alreadyCurrent }, work: { _, _ in throw CancellationError() })
        let end = clock.deadline(in: selection.wait ?? .zero)
        var strangers = UnsupportedUnits()
        while true {
            let heard = try await fleet.census(for: Self.census)
            for unit in strangers.note(heard) { notice(unit.leftAlone) }
            let ours = heard.filter { families.contains($0.family) && ($0.mode == .application || known.contains($0.address)) }
            if !ours.isEmpty {
                tellStrangers(heard, families, known)
                return ours
            }
            guard clock.now < end else { throw heard.first.map(UnitSelectionError.otherFamily) ?? .none }
        }
    }

    /// DfuTarg is what any Nordic bootloader calls itself.
    private func tellStrangers(_ heard: [DiscoveredUnit], _ families: Set<FamilyID>, _ known: Set<DeviceAddress>) {
        for unit in heard where unit.mode == .bootloader && families.contains(unit.family) && !known.contains(unit.address) {
            notice("\(unit.address) is a bootloader that this station has not worked on: it is left alone")
        }
    }
}
