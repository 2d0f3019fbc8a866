import Bluetooth
import Provisioning
import Support

/// The units in reach at the end of a scan.
struct ScanReport: Verdict, Hashable {
    var units: [DiscoveredUnit]
    /// Application addresses of units that this station has worked on.
    var known: Set<DeviceAddress>

    var passed: Bool { units.contains(where: \.hasVerbs) }
}

struct ScanDocument: Encodable, Sendable {
    struct Unit: Encodable, Sendable {
        enum CodingKeys: String, CodingKey {
            case address, family, mode, advertisedAddress = "advertised_address", name, rssi = "rssi_dbm", known, supported, label
        }

        var address: String
        var family: String
        var mode: String
        var advertisedAddress: String
        var name: String
        var rssi: Int
        var known: Bool
        var supported: Bool
        /// What people of this station call it.
        var label: String?
    }

    let schema = "noafw.scan/1"
    var units: [Unit]
    var error: Diagnosis?

    init(_ report: ScanReport? = nil, error: Diagnosis?) {
        units = (report?.units ?? []).map { unit in
            Unit(
                address: unit.address.description, family: unit.family.rawValue, mode: unit.mode.rawValue,
                advertisedAddress: unit.advertisedAddress.description, name: unit.name, rssi: unit.rssi,
                known: report?.known.contains(unit.address) == true, supported: unit.hasVerbs,
                label: UnitLabels.known[unit.address])
        }
        self.error = error
    }
}
