import Bluetooth
import Support

/// Why no unit was selected. Lists the units in reach.
public enum UnitSelectionError: Error, Sendable, Hashable {
    case none
    case several([DiscoveredUnit])
    case noneNear([DiscoveredUnit])
    case noneWithName(String, inReach: [DiscoveredUnit])
    case noneAtAddress(DeviceAddress, inReach: [DiscoveredUnit])
    case otherFamily(DiscoveredUnit)
    case unknownBootloader(DiscoveredUnit)
    /// A bootloader at the address after that of a unit whose application is heard.
    case impostor(DiscoveredUnit)
}

extension UnitSelectionError: DiagnosableError {
    public var diagnosis: Diagnosis {
        switch self {
        case .none:
            Diagnosis(
                "PRV-0020", .unavailable, .radio, "no unit is in reach",
                cause: "it is off, asleep on a charger, out of range or connected to another host",
                remedy: "wake the unit, take it off the charger, close the phone app; see with noafw scan what is in reach")
        case .several(let units):
            Diagnosis(
                "PRV-0021", .unavailable, .station,
                "\(units.count) units match: \(Self.list(units))",
                cause: "more than one unit is in reach, and noafw does not guess",
                remedy: "name one with --device ADDRESS, or bring one close and use --nearest")
        case .noneNear(let units):
            Diagnosis(
                "PRV-0022", .unavailable, .radio,
                "no unit is as near as \(UnitMatcher.offered) dBm: \(Self.list(units))",
                cause: "--nearest takes only a unit that is next to the adapter",
                remedy: "bring the unit to within a hand's breadth of the adapter, or name it with --device ADDRESS")
        case .noneWithName(let name, let units):
            Diagnosis(
                "PRV-0023", .unavailable, .radio,
                "no unit has the name \"\(name)\"; in reach: \(Self.list(units))",
                cause: "it is off, out of range, or has another name (a unit in its bootloader has the name of the bootloader)",
                remedy: "find names and addresses with noafw scan")
        case .noneAtAddress(let address, let units):
            Diagnosis(
                "PRV-0024", .unavailable, .radio,
                "no unit \(address) is in reach; in reach: \(Self.list(units))",
                cause: "it is off, asleep, out of range or connected to another host, or the address is another unit's",
                remedy: "compare the address with those in reach; else wake the unit, take it off the charger, and close the phone app")
        case .otherFamily(let unit):
            Diagnosis(
                "PRV-0025", .unavailable, .station,
                "only a unit of another family is in reach: \(Self.list([unit]))",
                cause: "this command does not work on units of the family \(unit.family)",
                remedy: "bring the right unit close; see with noafw scan what is in reach"
                    + (unit.insteadOfFlash.map { "; of this one: \($0)" } ?? ""))
        case .unknownBootloader(let unit):
            Diagnosis(
                "PRV-0026", .unavailable, .station,
                "an unknown bootloader is in reach: \(Self.list([unit]))",
                cause: "this station has not worked on that unit before; every device with Nordic's bootloader looks alike",
                remedy: "name it with --device \(unit.address) if it is your unit")
        case .impostor(let unit):
            Diagnosis(
                "PRV-0027", .unavailable, .station,
                "\(unit.address) runs its application, and a bootloader advertises at \(unit.advertisedAddress), the address after it",
                cause: "another device has the address that this unit's bootloader would have; nothing was sent to it",
                remedy: "find that device and take it out of reach, then run the same command again")
        }
    }

    private static func list(_ units: [DiscoveredUnit]) -> String {
        let shown = units.prefix(4).map { unit in
            "\(unit.address) (\(unit.family)\(unit.mode == .bootloader ? " in its bootloader" : ""), \(unit.rssi) dBm)"
        }
        let rest = units.count > shown.count ? " and \(units.count - shown.count) more" : ""
        return shown.isEmpty ? "none" : shown.joined(separator: ", ") + rest
    }
}
