import Bluetooth
import Provisioning
import Support

/// What can go wrong only with `pair` and `unpair`.
enum BondError: Error, Hashable, Sendable {
    case noBonds(FamilyID)
    /// The possible units.
    case notNamed([DeviceAddress])
    case interrupted
}

extension BondError: DiagnosableError {
    var diagnosis: Diagnosis {
        switch self {
        case .noBonds(let family):
            Diagnosis(
                "NOA-0080", .usage, nil, "a \(family.rawValue) makes no bonds",
                cause: "its application serves every host without pairing",
                remedy: "use it without pairing; name another unit with --device")
        case .notNamed(let units):
            Diagnosis(
                "NOA-0081", .usage, nil,
                units.isEmpty
                    ? "no unit is named" : "\(units.count) units can be meant: \(units.map(\.description).joined(separator: ", "))",
                cause:
                    "noafw unpair works without the unit, and this machine has worked on \(units.isEmpty ? "none" : "several") that "
                        + "make bonds",
                remedy: "name the unit with --device ADDRESS")
        case .interrupted:
            Diagnosis(
                "NOA-0082", .interrupted, nil, "interrupted; the bond may be changed already",
                cause: "noafw received a signal", remedy: "run: noafw pair; it says whether there is a bond")
        }
    }
}
