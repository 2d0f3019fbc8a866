import Bluetooth
import Provisioning
import Support

/// The result of `rescue` as lines and as the document `noafw.rescue/1`.
struct RescuePresentation: UnitPresentation {
    typealias Report = RescueReport

    var mayChangeUnit = true

    func error(of result: RunResult<RescueReport>) -> Diagnosis? {
        if let error = result.error ?? result.report?.units.compactMap(\.error).first { return error }
        guard result.report?.passed == false else { return nil }
        if let impostor = result.report?.impostors.first { return UnitSelectionError.impostor(impostor).diagnosis }
        return result.report?.strangers.first.map { UnitSelectionError.unknownBootloader($0).diagnosis }
    }

    func document(_ result: RunResult<RescueReport>) -> JSONText {
        let error = error(of: result)
        return .object([
            ("schema", .string("noafw.rescue/1")),
            ("verdict", .string(error == nil ? "pass" : "fail")),
            ("units", .array((result.report?.units ?? []).map { ReportText.document($0, result.report?.verdict($0).document) })),
            ("strangers", .array((result.report?.strangers ?? []).map { .string($0.address.description) })),
            ("impostors", .array((result.report?.impostors ?? []).map { .string($0.advertisedAddress.description) })),
            ("running", .optional(result.report?.running?.address.description)),
            ("error", error.map(ReportText.document) ?? .null),
        ])
    }

    func summary(_ result: RunResult<RescueReport>, style: TextStyle) -> [String] {
        let time = "(\(Format.seconds(result.seconds)) s)"
        let units = result.report?.units ?? []
        var lines = units.map { unit in
            let verdict = result.report?.verdict(unit) ?? .fail
            let isUnproved = unit.passed && unit.steps.contains { $0.action == .transferred }
            let end = isUnproved ? ": transferred, not verified; the unit runs its application again" : ""
            return "\(style.paint(verdict.word, verdict.tone))  \(unit.family) \(unit.identity.address)\(end)\(unit.error.map { ": \(UntrustedText.escape($0.message))" } ?? "")"
        }
        lines += (result.report?.strangers ?? []).map { "\(style.paint("LEFT", .careful))  \($0.family.rawValue) \($0.address), not met before" }
        lines += (result.report?.impostors ?? []).map {
            "\(style.paint("LEFT", .careful))  \($0.family.rawValue) \($0.address) runs its application; the bootloader at \($0.advertisedAddress) is another device's"
        }
        if let error = result.error, result.report == nil {
            return [ReportText.verdict(error, hasBegun: result.hasBegun, style) + " " + time]
        }
        if error(of: result) == nil, units.isEmpty {
            let finding = result.report?.running.map { "\($0.address) runs its application: it is not stranded" } ?? "no unit was heard in its bootloader"
            lines.append("\(style.paint("PASS", .good))  \(finding)")
        }
        return lines + [time]
    }
}
