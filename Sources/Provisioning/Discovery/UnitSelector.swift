import Bluetooth

public enum UnitSelector: Sendable, Hashable {
    case only
    /// The one at this address, in its application or in its bootloader.
    case address(DeviceAddress)
    case name(String)
    /// The one right here. Same thresholds as the phone app's pairing: from −65 dBm, withdrawn below −85 dBm (noa-for-ios).
    case nearest

    /// Whether it names this unit.
    @Sendable func names(_ unit: DiscoveredUnit) -> Bool {
        switch self {
        case .only, .nearest: false
        case .address(let address): unit.address == address || unit.advertisedAddress == address
        case .name(let name): unit.name == name
        }
    }
}

/// Decides whether the units in reach leave exactly one match. It never guesses.
struct UnitMatcher: Sendable {
    /// In dBm.
    static let offered = -65
    static let withdrawn = -85
    /// In dB: units whose strengths differ less are equally near; turning a hand makes that much difference.
    static let margin = 6

    let selector: UnitSelector
    let families: Set<FamilyID>
    /// Application addresses of units that this station has worked on.
    let known: Set<DeviceAddress>
    /// Between −65 and −85 dBm only the unit that was already offered stays offered.
    private(set) var offer: DeviceAddress?

    /// An address identifies one unit; anything else takes time to hear the others.
    var decidesAtFirstSight: Bool { if case .address = selector { true } else { false } }

    mutating func decide(_ units: [DiscoveredUnit]) throws(UnitSelectionError) -> DiscoveredUnit {
        switch selector {
        case .only: return try single(of: units)
        case .address(let address): return try unit(at: address, units)
        case .name(let name):
            let named = units.filter { $0.name == name }
            guard !named.isEmpty else { throw .noneWithName(name, inReach: units) }
            return try single(of: named)
        case .nearest: return try nearest(of: units)
        }
    }

    private func single(of units: [DiscoveredUnit]) throws(UnitSelectionError) -> DiscoveredUnit {
        let fitting = units.filter { families.contains($0.family) }
        guard let unit = fitting.first else {
            if let other = units.first { throw .otherFamily(other) }
            throw .none
        }
        guard fitting.count == 1 else { throw .several(fitting) }
        // Any Nordic bootloader is called DfuTarg, so it need not belong to a Monocle.
        guard unit.mode == .application || known.contains(unit.address) else { throw .unknownBootloader(unit) }
        return unit
    }

    private func unit(at address: DeviceAddress, _ units: [DiscoveredUnit]) throws(UnitSelectionError) -> DiscoveredUnit {
        let found = units.first { $0.address == address }
            ?? units.first { $0.mode == .bootloader && $0.advertisedAddress == address }
        guard let found else { throw .noneAtAddress(address, inReach: units) }
        guard families.contains(found.family) else { throw .otherFamily(found) }
        return found
    }

    private mutating func nearest(of units: [DiscoveredUnit]) throws(UnitSelectionError) -> DiscoveredUnit {
        let fitting = units.filter { families.contains($0.family) }
        if let standing = fitting.first(where: { $0.address == offer }), standing.rssi < Self.withdrawn { offer = nil }
        if !fitting.contains(where: { $0.address == offer }) { offer = nil }
        guard let strongest = fitting.first else {
            if let other = units.first { throw .otherFamily(other) }
            throw .none
        }
        let isNear = strongest.rssi >= Self.offered || (strongest.address == offer && strongest.rssi >= Self.withdrawn)
        guard isNear else { throw .noneNear(fitting) }
        let rivals = fitting.filter { strongest.rssi - $0.rssi < Self.margin }
        guard rivals.count == 1 else { throw .several(rivals) }
        offer = strongest.address
        return try single(of: [strongest])
    }
}
