import Bluetooth
import Foundation
import Provisioning
import Support

/// The bench of one command: this machine's adapters, or a virtual one and the virtual units that it puts on the air.
struct Station: Sendable {
    let selection: UnitSelection
    let adapters: [Radio.Adapter]
    let stateFolder: String
    let notice: @Sendable (String) -> Void
    /// `nil` on the air.
    var virtual: VirtualFleet?

    /// - Throws: ``LinkError/unavailable(_:)`` without one.
    var firstAdapter: Radio.Adapter {
        get throws {
            guard let first = adapters.first else { throw LinkError.unavailable("there is no adapter") }
            return first
        }
    }

    /// The only unit that is meant.
    /// - Throws: ``UnitSelectionError``, ``LinkError``, ``StateFileError``.
    func onlyUnit(events: @Sendable (RunEvent) -> Void) async throws -> StationUnit {
        guard let target = try await targets().first, case .unit(let found) = target.place else { throw UnitSelectionError.none }
        let central = try firstAdapter.fleet.central
        if virtual == nil { events(RunEvent(unit: FleetUnit(found), time: central.clock.now, content: .found(found.family))) }
        return try unit(found, id: target.id, over: central)
    }

    /// A unit that is found.
    /// - Parameters:
    ///   - id: as the command line names it.
    ///   - central: an adapter's own, or one that the unit shares with others.
    /// - Throws: ``UnitSelectionError/otherFamily(_:)``.
    func unit(_ found: DiscoveredUnit, id: String, over central: any Central) throws -> StationUnit {
        guard let support = selection.families.first(where: { $0.id == found.family }) else { throw UnitSelectionError.otherFamily(found) }
        var unit = StationUnit(support: support, central: central, address: found.address)
        if let virtual {
            (unit.isVirtual, unit.virtualName, unit.sensors) = (true, id, virtual.sensors(of: found.address))
            unit.presence = virtual.presence(of: found.address)
            let place: NetworkPlace = { try virtual.place(of: found.address) }
            (unit.support, unit.virtualPlace) = (support.reached(at: place), place)
        } else {
            let adapter = (central as? JobCentral).map { job in adapters.first { $0.fleet.name == job.adapter } } ?? adapters.first
            (unit.rssi, unit.adapter, unit.place, unit.label) = (found.rssi, adapter?.address, selection.place, selection.label)
        }
        return unit
    }

    /// Has bluetoothd forget units that have no bond; the only unit of a desk comes again.
    func forget(_ units: [DeviceAddress]) async {
        if virtual == nil, !selection.isOne { await Radio.forget(units, on: adapters) }
    }
}

extension DiscoveredUnit {
    /// Of a unit that noafw does not support.
    var unsupported: String {
        if SupportedFamily[family]?.bench.isEmpty == false { return family.rawValue }
        return "\(family.rawValue.capitalized), not supported yet"
    }
    var leftAlone: String {
        guard FamilyList.supported[family]?.network == nil else {
            return
                "\(advertisedAddress) is a \(family), which takes firmware over its network, one unit at a time (--url): it is left alone"
        }
        return "\(advertisedAddress) is a \(unsupported): it is left alone" + (insteadOfFlash.map { "; \($0)" } ?? "")
    }
    /// Whether a verb works with it.
    var hasVerbs: Bool { isSupported || SupportedFamily[family]?.bench.isEmpty == false }
}
