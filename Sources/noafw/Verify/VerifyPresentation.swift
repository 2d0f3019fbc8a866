import Bluetooth
import Provisioning
import ScriptBundle
import Support

/// The result of `verify` as a table and as the document `noafw.verify/1`.
struct VerifyPresentation: UnitPresentation {
    typealias Report = VerifiedUnit

    let mayChangeUnit = false
    var target: ReportTarget
    var isDeep: Bool
    /// Of the command line, for the command that repairs.
    var arguments: [String]
    /// The parts whose files it names.
    var named: Set<Component>

    func error(of result: RunResult<VerifiedUnit>) -> Diagnosis? { result.error ?? result.report?.report.error }

    func document(_ result: RunResult<VerifiedUnit>) -> JSONText {
        let error = error(of: result)
        let passed = error == nil && result.report?.passed == true
        let family = result.report?.report.family ?? result.progress.family ?? target.family
        let findings: [(String, JSONText)] = FamilyList.components(of: family).map { ($0.rawValue, finding($0, result)) }
        let unit = JSONText.object(
            [
                ("id", .optional(target.id ?? identity(result)?.address.description)),
                ("family", .optional(family?.rawValue)),
                ("address", .optional(identity(result)?.address.description)),
            ] + findings + [
                ("verdict", result.verdict(passed: passed)),
                ("error", error.map(ReportText.document) ?? .null),
                ("program", .optional(result.report?.report.program?.sign.rawValue)),
                ("recoveries", .array((result.report?.report.recoveries ?? []).map(ReportText.document))),
                ("last_pass", result.report?.lastPass.map(ReportText.document) ?? .null),
            ])
        return .object([("schema", .string("noafw.verify/1")), ("verdict", .string(passed ? "pass" : "fail")), ("units", .array([unit]))])
    }

    private func finding(_ component: Component, _ result: RunResult<VerifiedUnit>) -> JSONText {
        result.report?.report.findings[component].map { ReportText.document($0, of: component, isDeep: isDeep) } ?? .null
    }

    func summary(_ result: RunResult<VerifiedUnit>, style: TextStyle) -> [String] {
        let findings = (result.report?.report.findings ?? [:]).sorted { $0.key < $1.key }
        var lines = identity(result).map { [ComponentFormatter.describe($0), ""] } ?? []
        if !findings.isEmpty { lines += table(findings, style) + [""] }
        for (component, finding) in findings where !(finding.differences + finding.extras).isEmpty {
            lines += (finding.differences + finding.extras).map { "  \(component.rawValue): \(UntrustedText.escape($0))" } + [""]
        }
        lines += ReportText.needed(result.report?.report.recoveries ?? [])
        lines += verdict(result, findings.filter { !$0.value.matches }.map(\.key), style)
        return lines + (result.report?.lastPass.map { ["  " + ReportText.words($0)] } ?? [])
    }

    private func table(_ findings: [(key: Component, value: VerifyReport.Finding)], _ style: TextStyle) -> [String] {
        var table = TextTable([.init("part"), .init("expected"), .init("actual"), .init("result")])
        for (component, finding) in findings {
            let result = finding.matches ? (ReportText.evidence(for: component, isDeep: isDeep) == .digest ? "verified" : "matches") : "DIFFERS"
            table.append([
                component.rawValue, ComponentFormatter.version(finding.expected), ComponentFormatter.version(finding.actual), result,
            ])
        }
        return table.lines(style: style) { findings[$0].value.matches ? nil : .bad }
    }

    private func verdict(_ result: RunResult<VerifiedUnit>, _ drifted: [Component], _ style: TextStyle) -> [String] {
        let time = "(\(Format.seconds(result.seconds)) s)"
        if !drifted.isEmpty {
            let parts = drifted.map(\.rawValue)
            let verdict = "\(style.paint("FAIL", .bad))  drift in \(parts.joined(separator: ", ")) \(time)"
            let condition = named.isSuperset(of: drifted) ? [] : ["  if it was provisioned with other files, name them (--bundle, --scripts); else"]
            return [verdict] + removal(result) + condition + ["  next: \(CommandLineText.repair(arguments, parts: drifted))"]
        }
        if let error = error(of: result) { return [ReportText.verdict(error, hasBegun: result.hasBegun, style) + " " + time] }
        return ["\(style.paint("PASS", .good))  \(summary(of: result)) \(time)"] + ReportText.silence(result.report?.report.program)
    }

    /// What flash does not take away from a unit by itself.
    private func removal(_ result: RunResult<VerifiedUnit>) -> [String] {
        let shadows = result.report?.report.findings[.scripts]?.shadows ?? []
        return shadows.isEmpty ? [] : ["  first, in noafw console: \(UntrustedText.escape(ShadowRemoval.code(for: shadows)))"]
    }

    /// No more than was looked at.
    private func summary(of result: RunResult<VerifiedUnit>) -> String {
        let parts = result.report?.report.findings.keys.sorted() ?? []
        let digest = switch (isDeep && parts.contains(.fpga), isDeep && parts.contains(.scripts)) {
        case (true, true): "versions match; FPGA flash and scripts are verified by digest"
        case (true, false): "versions match; the FPGA flash is verified by digest"
        case (false, true): "versions match; scripts are verified by digest"
        case (false, false): "every version matches"
        }
        return digest + (result.report?.report.program.map { "; the program \(ReportText.seen($0))" } ?? "")
    }

    private func identity(_ result: RunResult<VerifiedUnit>) -> UnitIdentity? {
        result.report?.report.identity ?? result.progress.identity
    }
}
