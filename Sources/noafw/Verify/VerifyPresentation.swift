import Bluetooth
import Foundation
import Ledger
import Provisioning
import ScriptBundle
import Support

/// The results of `verify`: tables, the document `noafw.verify/1`, CSV and JUnit.
struct VerifyPresentation: FleetPresentation {
    typealias UnitVerdict = ComparedReport

    let mayChangeUnit = false
    var single: ReportTarget?
    var comparison: Comparison
    var csv: ResultName?
    var csvForm = CSVText.Form.plain
    var junit: ResultName?
    /// Of the command line, for the command that repairs a single unit.
    var arguments: [String] = []

    private var isDeep: Bool { comparison.isDeep }

    func document(_ result: FleetRunResult<ComparedReport>) -> any Encodable & Sendable {
        RunDocument(
            schema: RunDocument.verify, verdict: PassMember(result.passed), units: result.report.entries.map { unit($0, result) },
            fleet: isSingle ? nil : FleetMember(result, comparedWith: comparison.source))
    }

    private func unit(_ entry: FleetEntry<ComparedReport>, _ result: FleetRunResult<ComparedReport>) -> UnitMember {
        var member = member(entry, result, program: entry.report?.report.program)
        let family = entry.report?.report.family ?? member.names.family
        member.names.family = family
        member.findings.components = FamilyList.components(of: family).map { component in
            (component, entry.report?.findings.first { $0.component == component }.map { self.member($0) })
        }
        member.result.lastPass = .some(entry.report?.lastPass.map { LastPassMember($0) })
        return member
    }

    private func member(_ compared: ComparedFinding) -> FindingMember {
        let finding = compared.finding
        var member = FindingMember(
            expected: finding.expected, actual: finding.actual, match: finding.matches,
            proof: ReportText.evidence(for: compared.component, isDeep: isDeep))
        if isDeep { (member.differences, member.extras) = (finding.differences, finding.extras) }
        if !isSingle { (member.state, member.allowedBy) = (compared.state, compared.used.map(\.line)) }
        return member
    }

    func summary(_ result: FleetRunResult<ComparedReport>, style: TextStyle) -> [String] {
        if isSingle { return result.report.entries.first.map { summary($0, result, style) } ?? [] }
        let rows = result.report.entries.flatMap(FindingRow.rows)
        let details = rows.filter { !$0.state.isGood && $0.component != nil && !($0.finding?.differences ?? []).isEmpty }.map { row in
            "  \(FleetLine.name(row.unit)) \(row.component?.name ?? ""): "
                + "\(UntrustedText.escape(row.differences.joined(separator: "; "), limit: UntrustedText.commandLimit))"
        }
        return [
            table(rows, style), details, FleetSummary.errors(result.report, style: style), advice(result.report), lastPasses(result.report),
            allowances(rows),
            [
                "compared with: \(UntrustedText.escape(comparison.source, limit: UntrustedText.commandLimit))",
                FleetSummary.verdict(result, style: style)
            ]
        ].filter { !$0.isEmpty }.joined(separator: [""]).map { $0 }
    }

    private func table(_ rows: [FindingRow], _ style: TextStyle) -> [String] {
        guard !rows.isEmpty else { return [] }
        var table = TextTable([
            .init("unit", keeping: .end), .init("part"), .init("expected", leftOut: 2), .init("actual", leftOut: 1), .init("result"),
        ])
        for row in rows {
            table.append([
                FleetLine.name(row.unit), row.component?.name ?? "-", ComponentFormatter.version(row.finding?.expected),
                ComponentFormatter.version(row.finding?.actual), word(row),
            ])
        }
        return table.lines(style: style) { tone(rows[$0].state) }
    }

    /// For the first units that differ.
    private func advice(_ report: FleetReport<ComparedReport>) -> [String] {
        let differing = report.entries.filter { $0.verdict == .fail && $0.error == nil }.compactMap { entry in
            entry.report.map {
                "  \(FleetLine.name(entry.unit)) next: \(UntrustedText.escape($0.advice, limit: UntrustedText.commandLimit))"
            }
        }
        return differing.prefix(Self.adviceLimit)
            + (differing.count > Self.adviceLimit ? ["  and \(differing.count - Self.adviceLimit) more"] : [])
    }

    private static let adviceLimit = 8

    /// Of the units that did not pass.
    private func lastPasses(_ report: FleetReport<ComparedReport>) -> [String] {
        report.entries.filter { $0.verdict != .pass }.compactMap { entry in
            entry.report?.lastPass.map { "  \(FleetLine.name(entry.unit)) \(ReportText.words($0))" }
        }
    }

    private func word(_ row: FindingRow) -> String {
        switch row.state {
        case .matches: row.component.map { ReportText.evidence(for: $0, isDeep: isDeep) == .digest ? "verified" : "matches" } ?? "matches"
        case .allowed: "allowed"
        case .notExpected: "not expected here"
        case .drifted, .older, .newer, .unknown, .unreachable: row.state.rawValue.uppercased()
        }
    }

    private func tone(_ state: FindingState) -> TextStyle.Tone? {
        switch state {
        case .matches: nil
        case .allowed, .notExpected, .unreachable: .careful
        case .drifted, .older, .newer, .unknown: .bad
        }
    }

    /// Used ones are counted, expired and unused ones are told.
    private func allowances(_ rows: [FindingRow]) -> [String] {
        guard let allowed = comparison.allowed else { return [] }
        let used = Set(rows.flatMap(\.used)), expired = Set(rows.flatMap(\.expired))
        let lines = allowed.entries.flatMap { entry -> [String] in
            if expired.contains(entry) {
                return ["line \(entry.line) expired on \(entry.expires ?? "-"): \(UntrustedText.escape(entry.reason))"]
            }
            return used.contains(entry) ? [] : ["line \(entry.line) was not needed: \(UntrustedText.escape(entry.reason))"]
        }
        return ["\(UntrustedText.escape(allowed.name)): \(used.count) of \(allowed.entries.count) allowances used"]
            + lines.map { "  " + $0 }
    }

    func export(_ result: FleetRunResult<ComparedReport>, context: CommandContext) throws {
        let rows = result.report.entries.flatMap(FindingRow.rows)
        // Earlier results stay where a run had no unit to tell of.
        guard !rows.isEmpty || result.error == nil else { return }
        if let csv { try write(VerifyExports.csv(rows, isDeep: isDeep, form: csvForm), to: csv, context) }
        guard let junit else { return }
        let now = Int64(context.date().timeIntervalSince1970 * 1_000_000)
        let start = UTCTime(microseconds: now - Int64(min(max(result.seconds, 0), 1e9) * 1_000_000))
        try write(VerifyExports.junit(rows, start: start, host: RecordInputs.hostName), to: junit, context)
    }

    private func write(_ text: String, to file: ResultName, _ context: CommandContext) throws {
        guard !file.isStandardOutput else { return context.output.write(text) }
        try OutputFile.replace(OutputPlace(context.path(file)), with: Array(text.utf8))
    }

    // MARK: - One unit

    private func summary(_ entry: FleetEntry<ComparedReport>, _ result: FleetRunResult<ComparedReport>, _ style: TextStyle) -> [String] {
        let findings = (entry.report?.report.findings ?? [:]).sorted { $0.key < $1.key }
        var lines = result.identity(entry).map { [ComponentFormatter.describe($0), ""] } ?? []
        if !findings.isEmpty { lines += partTable(findings, style) + [""] }
        for (component, finding) in findings where !(finding.differences + finding.extras).isEmpty {
            lines += (finding.differences + finding.extras).map { "  \(component.name): \(UntrustedText.escape($0))" } + [""]
        }
        lines += ReportText.needed(entry.report?.recoveries ?? [])
        lines += verdict(entry, result, style)
        return lines + (entry.report?.lastPass.map { ["  " + ReportText.words($0)] } ?? [])
    }

    private func partTable(_ findings: [(key: Component, value: VerifyReport.Finding)], _ style: TextStyle) -> [String] {
        var table = TextTable([.init("part"), .init("expected"), .init("actual"), .init("result")])
        for (component, finding) in findings {
            let result =
                finding.matches ? (ReportText.evidence(for: component, isDeep: isDeep) == .digest ? "verified" : "matches") : "DIFFERS"
            table.append([
                component.name, ComponentFormatter.version(finding.expected), ComponentFormatter.version(finding.actual), result,
            ])
        }
        return table.lines(style: style) { findings[$0].value.matches ? nil : .bad }
    }

    private func verdict(_ entry: FleetEntry<ComparedReport>, _ result: FleetRunResult<ComparedReport>, _ style: TextStyle) -> [String] {
        let time = "(\(Format.seconds(result.seconds)) s)"
        let findings = entry.report?.report.findings ?? [:]
        let drifted = findings.filter { !$0.value.matches }.keys.sorted()
        if !drifted.isEmpty {
            let verdict = "\(style.paint("FAIL", .bad))  drift in \(drifted.map(\.name).joined(separator: ", ")) \(time)"
            let shadows = findings.values.flatMap(\.shadows)
            // What flash does not take away from a unit by itself.
            let removal = shadows.isEmpty ? [] : ["  first, in noafw console: \(UntrustedText.escape(ShadowRemoval.code(for: shadows)))"]
            let condition = comparison.files.parts.isSuperset(of: drifted)
                ? [] : ["  if it was provisioned with other files, name them (--bundle, --scripts); else"]
            return [verdict] + removal + condition + ["  next: \(CommandLineText.repair(arguments, parts: drifted))"]
        }
        if let error = error(of: result) { return [ReportText.verdict(error, hasBegun: result.hasBegun(entry), style) + " " + time] }
        let seen = entry.report?.report.program
        let words = Self.matched(findings.keys.sorted(), isDeep: isDeep) + (seen.map { "; the program \(ReportText.seen($0))" } ?? "")
        return ["\(style.paint("PASS", .good))  \(words) \(time)"] + ReportText.silence(seen)
    }

    /// No more than was looked at.
    private static func matched(_ parts: [Component], isDeep: Bool) -> String {
        let proven = parts.filter { ReportText.evidence(for: $0, isDeep: isDeep) == .digest }.map(\.title)
        return proven.isEmpty ? "every version matches" : "versions match; verified by digest: \(proven.joined(separator: ", "))"
    }
}
