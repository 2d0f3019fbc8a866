import Bluetooth
import Foundation
import Provisioning
import Support

/// The units of this station: those with a name first, then those worked on last.
struct ListedUnits {
    struct Row: Encodable, Sendable, Hashable {
        private enum CodingKeys: String, CodingKey { case address, name, family, lastWorkedOn = "last_worked_on" }

        var address: String
        var name: String?
        var family: String?
        /// UTC.
        var lastWorkedOn: String?
    }

    let rows: [Row]

    init(known: [KnownUnits.Unit], names: [DeviceAddress: String]) {
        let worked = Dictionary(known.map { ($0.address, $0) }) { $1 }
        let named = names.sorted { ($0.value, $0.key.description) < ($1.value, $1.key.description) }.map { address, name in
            Self.row(address.description, name, worked[address.description])
        }
        let others = known.reversed().filter { unit in DeviceAddress(unit.address).map { names[$0] == nil } ?? false }
        rows = named + others.map { Self.row($0.address, nil, $0) }
    }

    private static func row(_ address: String, _ name: String?, _ unit: KnownUnits.Unit?) -> Row {
        let time = unit.map { Date(timeIntervalSince1970: TimeInterval($0.lastWorkedOn)).ISO8601Format() }
        return Row(address: address, name: name, family: unit?.family.rawValue, lastWorkedOn: time)
    }

    func lines(_ style: TextStyle) -> [String] {
        guard !rows.isEmpty else { return ["no unit has a name, and none was worked on: noafw scan shows those in reach"] }
        var table = TextTable([
            .init("address"), .init("name", keeping: .start), .init("family", leftOut: 2), .init("last worked on", leftOut: 1),
        ])
        for row in rows {
            table.append([row.address, UntrustedText.escape(row.name ?? "-"), row.family ?? "-", row.lastWorkedOn ?? "-"])
        }
        return table.lines(style: style) { _ in nil }
    }
}

/// The document `noafw.units.list/1`.
struct UnitsDocument: Encodable, Sendable {
    let schema = "noafw.units.list/1"
    var units: [ListedUnits.Row] = []
    var error: Diagnosis?
}

/// A unit as `noafw units` takes it.
enum NamedUnit {
    /// - Throws: ``CommandError/noSuchUnit(_:)``, ``CommandError/likeAnAddress(_:meant:)``, ``CommandError/likeAName(_:name:)``.
    static func address(of text: String) throws -> DeviceAddress {
        guard let address = DeviceAddress(try DeviceArgument(names: UnitLabels.known).address(of: text)) else {
            throw CommandError.noSuchUnit(text)
        }
        return address
    }
}
