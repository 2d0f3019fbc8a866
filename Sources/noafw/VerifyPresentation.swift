import Bluetooth
import Provisioning
import Support

/// The result of `verify` as a table and as the document `noafw.verify/1`.
struct VerifyPresentation: RunPresentation {
    var target: ReportTarget
    var isDeep: Bool
    /// Of the command line, for the command that repairs.
    var arguments: [String]

    func error(of ending: RunEnding<VerifyReport>) -> Diagnosis? { ending.error ?? ending.report?.error }

    func document(_ ending: RunEnding<VerifyReport>) -> JSONText {
        let error = error(of: ending)
        let verdict = JSONText.string(error == nil && ending.report?.passed == true ? "pass" : "fail")
        let unit = JSONText.object(
            [
                ("id", .optional(target.id ?? identity(ending)?.address.description)),
                ("family", .string(ending.report?.family ?? target.family)),
                ("address", .optional(identity(ending)?.address.description)),
            ] + Part.allCases.map { ($0.rawValue, finding($0, ending)) } + [
                ("verdict", verdict),
                ("error", error.map(ReportText.document) ?? .null),
                ("program", .optional(ending.report?.program?.rawValue)),
                ("recoveries", .array((ending.report?.recoveries ?? []).map(ReportText.document))),
            ])
        return .object([("schema", .string("noafw.verify/1")), ("verdict", verdict), ("units", .array([unit]))])
    }

    private func finding(_ part: Part, _ ending: RunEnding<VerifyReport>) -> JSONText {
        guard let finding = ending.report?.findings[part] else { return .null }
        let differences = ("differences", JSONText.array(finding.differences.map { .string($0) }))
        return .object(
            [
                ("expected", .string(finding.expected)),
                ("actual", .optional(finding.actual)),
                ("match", .bool(finding.matches)),
                ("proof", .string(proof(of: part).rawValue)),
            ] + (isDeep ? [differences, ("extras", .array(finding.extras.map { .string($0) }))] : []))
    }

    private func proof(of part: Part) -> PartProof { isDeep && part != .firmware ? .digest : .version }

    func summary(_ ending: RunEnding<VerifyReport>, style: TextStyle) -> [String] {
        let findings = (ending.report?.findings ?? [:]).sorted { $0.key < $1.key }
        var lines = identity(ending).map { [PartText.describe($0), ""] } ?? []
        if !findings.isEmpty { lines += table(findings, style) + [""] }
        for (part, finding) in findings where !(finding.differences + finding.extras).isEmpty {
            lines += (finding.differences + finding.extras).map { "  \(part.rawValue): \(UntrustedText.escape($0))" } + [""]
        }
        lines += ReportText.needed(ending.report?.recoveries ?? [])
        return lines + verdict(ending, findings.filter { !$0.value.matches }.map(\.key), style)
    }

    private func table(_ findings: [(key: Part, value: VerifyReport.Finding)], _ style: TextStyle) -> [String] {
        var table = TextTable([.init("part"), .init("expected"), .init("actual"), .init("result")])
        for (part, finding) in findings {
            let result = finding.matches ? (proof(of: part) == .digest ? "proved" : "matches") : "DIFFERS"
            table.append([
                part.rawValue, PartText.version(finding.expected), PartText.version(finding.actual), result,
            ])
        }
        return table.lines(style: style) { findings[$0].value.matches ? nil : .bad }
    }

    private func verdict(_ ending: RunEnding<VerifyReport>, _ drifted: [Part], _ style: TextStyle) -> [String] {
        let time = "(\(Measure.seconds(ending.seconds)) s)"
        if !drifted.isEmpty {
            let parts = drifted.map(\.rawValue)
            let verdict = "\(style.paint("FAIL", .bad))  drift in \(parts.joined(separator: ", ")) \(time)"
            return [verdict, "  next: \(CommandLineText.repair(arguments, parts: drifted))"]
        }
        if let error = error(of: ending) { return [ReportText.verdict(error, hasBegun: ending.hasBegun, style) + " " + time] }
        return ["\(style.paint("PASS", .good))  \(proof(ending)) \(time)"] + ReportText.silence(ending.report?.program)
    }

    /// No more than was looked at.
    private func proof(_ ending: RunEnding<VerifyReport>) -> String {
        let parts = ending.report?.findings.keys.sorted() ?? []
        let digest = switch (isDeep && parts.contains(.fpga), isDeep && parts.contains(.scripts)) {
        case (true, true): "versions match; FPGA flash and scripts are proved by digest"
        case (true, false): "versions match; the FPGA flash is proved by digest"
        case (false, true): "versions match; scripts are proved by digest"
        case (false, false): "every version matches"
        }
        return digest + (ending.report?.program == nil ? "" : "; the program lives")
    }

    private func identity(_ ending: RunEnding<VerifyReport>) -> UnitIdentity? {
        ending.report?.identity ?? ending.progress.identity
    }
}
