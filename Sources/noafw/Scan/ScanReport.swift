import Bluetooth
import Provisioning
import Support

/// Who is in reach at the end of a scan.
struct ScanReport: Verdict, Hashable {
    var units: [DiscoveredUnit]
    /// Application addresses of units this station has worked on.
    var known: Set<DeviceAddress>

    var passed: Bool { units.contains(where: \.isSupported) }

    /// The document `noafw.scan/1`.
    func document(error: Diagnosis?) -> JSONText {
        let units = units.map { unit in
            JSONText.object([
                ("address", .string(unit.address.description)),
                ("family", .string(unit.family.rawValue)),
                ("mode", .string(unit.mode.rawValue)),
                ("advertised_address", .string(unit.advertisedAddress.description)),
                ("name", .string(unit.name)),
                ("rssi_dbm", .integer(unit.rssi)),
                ("known", .bool(known.contains(unit.address))),
                ("supported", .bool(unit.isSupported)),
            ])
        }
        return .object([
            ("schema", .string("noafw.scan/1")), ("units", .array(units)), ("error", error.map(ReportText.document) ?? .null),
        ])
    }
}
