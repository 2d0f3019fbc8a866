import Bluetooth
import Provisioning
import Support

/// What a unit is.
struct InfoReport: Verdict {
    var family: FamilyID
    /// Of its advertisement.
    var rssi: Int?
    var answer: UnitAnswer
    var details: [UnitDetail] = []

    var passed: Bool { true }

    /// Parts that the family's units have; one that was not told has no version.
    var versions: [(component: Component, version: String?)] {
        guard answer.mode == .application else { return [] }
        return FamilyList.supported[family].map { family in
            (family.components + answer.identity.versions.keys).reduce(into: [Component]()) { if !$0.contains($1) { $0.append($1) } }
        }?.map { ($0, answer.identity.versions[$0]) } ?? []
    }

    func lines(_ style: TextStyle) -> [String] {
        let address = answer.identity.address
        var rows: [(String, String)] = [("address", "\(address)" + (rssi.map { ", \($0) dBm" } ?? ""))]
        if let label = UnitLabels.known[address] { rows.insert(("name", label), at: 0) }
        let mode = answer.mode == .bootloader ? "bootloader: it tells no versions there" : "application"
        rows += [("family", family.rawValue), ("mode", mode)]
        rows += versions.map { ($0.component.name, ComponentFormatter.version($0.version)) }
        rows += answer.identity.facts.map { fact in
            fact.name == UnitFact.battery ? ("battery", "\(fact.value) %") : ("", fact.words)
        }
        rows += details.map { ($0.name, $0.value) }
        if answer.mode == .application { rows.append(("bond", bond)) }
        let lines = rows.map { "\($0.0.padded(to: 9)) \(UntrustedText.escape($0.1))" } + remarks
        return lines.flatMap { DisplayWidth.hang($0, lead: 10, indent: 10, columns: style.columns.map { $0 - 1 }) }
    }

    private var bond: String {
        switch answer.bond {
        case .made?: "made now, with this machine"
        case .kept?: "with this machine"
        case nil: "none: its units make none"
        }
    }

    private var remarks: [String] {
        answer.recoveries.map { "needed    \($0.remedy.words): \(UntrustedText.escape($0.reason.message))" }
    }
}

/// The document `noafw.info/1`.
struct InfoDocument: Encodable, Sendable {
    struct Unit: Encodable, Sendable {
        private enum CodingKeys: String, CodingKey {
            case address, label, family, mode, rssi = "rssi_dbm", versions, facts, details, bond
        }

        var address: String
        /// What people of this station call it.
        var label: String?
        var family: String
        var mode: String
        var rssi: Int?
        /// `null` for a part that tells none.
        var versions: [String: String?]
        var facts: [String: Int]
        var details: [UnitDetail]
        var bond: UnitAnswer.Bond?
    }

    let schema = "noafw.info/1"
    var verdict: PassMember
    var unit: Unit?
    var error: Diagnosis?

    init(_ report: InfoReport?, error: Diagnosis? = nil) {
        (verdict, self.error) = (PassMember(error == nil), error)
        unit = report.map { report in
            let identity = report.answer.identity
            return Unit(
                address: "\(identity.address)", label: UnitLabels.known[identity.address], family: report.family.rawValue,
                mode: report.answer.mode.rawValue, rssi: report.rssi,
                versions: Dictionary(uniqueKeysWithValues: report.versions.map { ($0.component.name, $0.version) }),
                facts: Dictionary(identity.facts.map { ($0.name, $0.value) }) { first, _ in first }, details: report.details,
                bond: report.answer.bond)
        }
    }
}
