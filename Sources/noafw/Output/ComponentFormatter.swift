import Bluetooth
import Cryptography
import Provisioning

/// Units, steps and versions in words. All of it may come from a device.
enum ComponentFormatter {
    /// Characters of a table cell.
    private static let width = 24

    /// A version for a table cell. The scripts' version is a long digest: its first 12 digits tell sets apart.
    static func version(_ version: String?) -> String {
        guard let version else { return "-" }
        let prefix = "SHA256 digest: "
        guard version.hasPrefix(prefix) else {
            let text = UntrustedText.escape(version)
            return text.count > width ? String(text.prefix(width - 3)) + "..." : text
        }
        return "sha256:" + UntrustedText.escape(String(version.dropFirst(prefix.count).prefix(12)))
    }

    static func describe(_ unit: UnitIdentity) -> String {
        let names = "unit \(UntrustedText.escape(unit.address.labelled)) \"\(UntrustedText.escape(unit.name))\""
        return ([names] + unit.facts.map { UntrustedText.escape($0.words) }).joined(separator: ", ")
    }

    static func describe(_ step: StepReport) -> String {
        switch step.action {
        case .updated: "\(step.component.name) updated: \(version(step.from)) -> \(version(step.to))"
        case .planned: "\(step.component.name) would be updated: \(version(step.from)) -> \(version(step.to))"
        case .current: "\(step.component.name) is current: \(version(step.to ?? step.from))"
        case .skipped: "\(step.component.name) skipped"
        case .failed: "\(step.component.name) failed"
        }
    }
}
