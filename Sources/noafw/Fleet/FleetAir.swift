import Bluetooth
import Provisioning
import Support

/// Finds the units on the air that a run works on.
struct FleetAir: Sendable {
    /// Units advertise several times a second: everyone in reach is heard within this time.
    private static let census = Duration.seconds(4)

    var selection: FleetSelection
    var stateFolder: String
    var notice: @Sendable (String) -> Void

    /// - Throws: ``UnitSelectionError`` for an empty fleet, ``LinkError``, ``StateFileError``.
    func targets(_ adapters: [FleetAdapter]) async throws -> [FleetTarget] {
        let units = try KnownUnits(stateFolder: stateFolder).load()
        let known = Set(units.compactMap { DeviceAddress($0.address) })
        let families = Set(selection.families.map(\.id))
        for adapter in adapters {
            let station = RadioStation(central: adapter.central, stateFolder: stateFolder, notice: notice)
            try await station.endStaleConnections(.only, families: families, known: units)
        }
        switch selection.units {
        case .listed(let units): return units.compactMap(\.target)
        case .one(let selector):
            guard let first = adapters.first else { throw LinkError.unavailable("there is no adapter") }
            return [
                .unit(
                    try await UnitFinder(central: first.central, families: .supported).find(
                        selector, families: families, known: known, within: selection.wait ?? UnitFinder.timeout,
                        leaving: { notice($0.leftAlone) }))
            ]
        case .inReach: return try await inReach(adapters, families, known).map { .unit($0) }
        case .virtual: return []
        }
    }

    private func inReach(
        _ adapters: [FleetAdapter], _ families: Set<FamilyID>, _ known: Set<DeviceAddress>
    ) async throws -> [DiscoveredUnit] {
        guard let clock = adapters.first?.central.clock else { return [] }
        let end = clock.deadline(in: selection.wait ?? .zero)
        var strangers = UnsupportedUnits()
        while true {
            let heard = try await FamilyList.supported.census(of: adapters, for: Self.census)
            for unit in strangers.note(heard) { notice(unit.leftAlone) }
            let ours = heard.filter { families.contains($0.family) && ($0.mode == .application || known.contains($0.address)) }
            if !ours.isEmpty {
                // DfuTarg is what any Nordic bootloader calls itself.
                for unit in heard where unit.mode == .bootloader && families.contains(unit.family) && !known.contains(unit.address) {
                    notice("\(unit.address) is a bootloader that this station has not worked on: it is left alone")
                }
                return ours
            }
            guard clock.now < end else { throw heard.first.map(UnitSelectionError.otherFamily) ?? .none }
        }
    }
}

extension ListedUnit {
    fileprivate var target: FleetTarget? {
        switch selector {
        case .address(let address): .address(address, id: description)
        case .name(let name): .name(name)
        case .only, .nearest: nil
        }
    }
}
