import Bluetooth
import Provisioning
import Support

/// The units of a run, as they were asked for, and as the fleet's work looks for them.
struct FleetTargets: Sendable {
    private(set) var units: [FleetUnit] = []
    private(set) var targets: [FleetTarget] = []
    private var places: [DeviceAddress: Int] = [:]

    mutating func add(_ unit: DiscoveredUnit) {
        add(FleetUnit(id: unit.address.description, address: unit.address, family: unit.family), .unit(unit))
    }

    mutating func add(_ listed: ListedUnit) {
        switch listed.selector {
        case .address(let address): add(FleetUnit(id: listed.description, address: address), .address(address))
        case .name(let name): add(FleetUnit(id: listed.description), .name(name))
        case .only, .nearest: return
        }
    }

    mutating func add(_ virtual: VirtualUnitName, _ target: FleetTarget) {
        guard case .unit(let unit) = target else { return }
        add(FleetUnit(id: virtual.description, address: unit.address, family: virtual.family), target)
    }

    private mutating func add(_ unit: FleetUnit, _ target: FleetTarget) {
        if let address = unit.address { places[address] = units.count }
        units.append(unit)
        targets.append(target)
    }

    subscript(_ index: Int) -> FleetUnit? { units.indices.contains(index) ? units[index] : nil }

    /// The place of a unit that was found.
    func index(of found: DiscoveredUnit) -> Int? {
        places[found.address] ?? places[found.advertisedAddress] ?? targets.firstIndex { $0 == .name(found.name) }
    }

    /// What was asked for, with what the air tells.
    func unit(_ found: DiscoveredUnit) -> FleetUnit {
        let asked = index(of: found).map { units[$0] }
        return FleetUnit(id: asked?.id ?? found.address.description, address: found.address, family: found.family)
    }
}
