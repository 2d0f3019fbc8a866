import Bluetooth
import Provisioning
import Support

extension Station {
    /// Units advertise several times a second: everyone in reach is heard within this time.
    private static let census = Duration.seconds(4)

    /// The units that a run works on.
    /// - Throws: ``UnitSelectionError`` for an empty fleet, ``LinkError``, ``StateFileError``.
    func targets() async throws -> [FleetTarget] {
        if let virtual { return virtual.targets }
        let known = try await endStaleConnections()
        let families = Set(selection.families.map(\.id))
        switch selection.units {
        case .listed(let units): return units.compactMap(\.target)
        case .one(let selector): return [.unit(try await found(selector, families, known))]
        case .inReach: return try await inReach(families, known).map { .unit($0) }
        case .virtual: return []
        }
    }

    private func found(
        _ selector: UnitSelector, _ families: Set<FamilyID>, _ known: Set<DeviceAddress>
    ) async throws -> DiscoveredUnit {
        let finder = UnitFinder(central: try firstAdapter.fleet.central, families: FamilyList(selection.recognised.map(\.family)))
        do {
            return try await finder.find(
                selector, families: families, known: known, within: selection.wait ?? UnitFinder.timeout,
                leaving: { notice($0.leftAlone) })
        } catch UnitSelectionError.several(let units) {
            guard selector == .only, let unit = units.first(where: { $0.address == selection.resumes }) else {
                throw UnitSelectionError.several(units)
            }
            notice("\(units.count) units are in reach; \(unit.address) is the one whose chat was cut off")
            return unit
        }
    }

    /// - Returns: the applications of units that this station has worked on.
    func endStaleConnections() async throws -> Set<DeviceAddress> {
        let units = try KnownUnits(stateFolder: stateFolder).load()
        for adapter in adapters {
            try await StaleConnections(central: adapter.fleet.central, stateFolder: stateFolder, notice: notice)
                .end(selector, families: Set(selection.families.map(\.id)), known: units)
        }
        return Set(units.compactMap { DeviceAddress($0.address) })
    }

    /// Of the unit that is meant; ``UnitSelector/only`` where any may be.
    var selector: UnitSelector { if case .one(let selector) = selection.units { selector } else { .only } }

    private func inReach(_ families: Set<FamilyID>, _ known: Set<DeviceAddress>) async throws -> [DiscoveredUnit] {
        let clock = try firstAdapter.fleet.central.clock
        let end = clock.deadline(in: selection.wait ?? .zero)
        var strangers = UnsupportedUnits()
        while true {
            let heard = try await FamilyList.supported.census(of: adapters.map(\.fleet), for: Self.census)
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
