import DFU
import Ledger
import Provisioning
import ScriptBundle
import Support

/// A component of one unit, compared.
struct ComparedFinding: Sendable, Equatable {
    var component: Component
    /// With what it was held against in place of what the files say.
    var finding: VerifyReport.Finding
    var state: FindingState
    /// The entries of the allow-list that were used, or would have been before they expired.
    var used: [AllowList.Entry] = []
    var expired: [AllowList.Entry] = []
}

/// The verdict on one unit, once baseline and allow-list had their say.
struct ComparedReport: Verdict {
    var report: VerifyReport
    /// In the order of the components.
    var findings: [ComparedFinding]
    /// `nil` where none is known.
    var lastPass: PassedRun?
    /// What it was held against, in words.
    var source: String
    /// What to do about what differs.
    var advice: String

    /// The baseline knows nothing of what was asked for.
    var unexpected: Diagnosis?

    var error: Diagnosis? { report.error ?? unexpected }
    /// No findings are no verdict.
    var passed: Bool { error == nil && !findings.isEmpty && findings.allSatisfy { $0.state.isGood } }

    /// Why it did not pass.
    var failure: Diagnosis? {
        if let error { return error }
        guard !findings.isEmpty else { return ProvisioningError.nothingWanted.diagnosis }
        let drifted = findings.filter { !$0.state.isGood }.map(\.component)
        return drifted.isEmpty ? nil : CommandError.differs(parts: drifted, from: source, advice: advice).diagnosis
    }
}

/// What units are held against beside the files: how they were before, and what is allowed to differ.
struct Comparison: Sendable {
    var baseline: Baseline?
    var allowed: AllowList?
    /// Whether digests were compared.
    var isDeep: Bool
    /// UTC, such as `2026-11-22`.
    var today: String
    var files = NamedFiles()

    /// What units are held against, in words.
    var source: String {
        baseline?.description(isDeep: isDeep) ?? files.bundle.map { "bundle \($0)" }
            ?? (files.parts.isEmpty ? "the catalogue" : "the catalogue and the files of the command line")
    }

    /// - Parameter unit: the options of `flash` that name the unit.
    func compare(_ report: VerifyReport, unit: [String]) -> ComparedReport {
        let findings = report.findings.sorted { $0.key < $1.key }.map { component, finding in
            var compared = ComparedFinding(component: component, finding: finding, state: .matches)
            if let baseline {
                guard let before = baseline[report.identity.address, component] else {
                    compared.state = .notExpected
                    return compared
                }
                compared.finding = before.held(against: finding, isDeep: isDeep)
            }
            if !compared.finding.matches { judge(&compared, of: report) }
            return compared
        }
        let drifted = findings.filter { !$0.state.isGood }
        let flash = CommandLineText.flash(unit, files.arguments, drifted.map(\.component))
        let unexpected = baseline.flatMap { baseline in
            findings.contains { $0.state != .notExpected } || findings.isEmpty
                ? nil : ComparisonError.notInBaseline(unit: "\(report.identity.address)", baseline: baseline.name).diagnosis
        }
        return ComparedReport(
            report: report, findings: findings, source: source, advice: advice(on: drifted, report).text(flash), unexpected: unexpected)
    }

    private func advice(on drifted: [ComparedFinding], _ report: VerifyReport) -> RepairAdvice {
        guard let baseline else { return .flash(isKnown: files.parts.isSuperset(of: drifted.map(\.component))) }
        // What the files say, too.
        let isAtHand = drifted.allSatisfy { compared in
            let before = baseline[report.identity.address, compared.component]
            return before?.differences.isEmpty == true && report.findings[compared.component]?.expected == before?.actual
        }
        return isAtHand ? .flash(isKnown: true) : .restore(baseline: baseline.name)
    }

    private func judge(_ compared: inout ComparedFinding, of report: VerifyReport) {
        compared.state = Self.state(compared.component, compared.finding)
        guard let allowed else { return }
        let finding = compared.finding
        let deviations = (finding.expected == finding.actual ? [] : [finding.actual ?? ""]) + finding.differences
        // A unit that calls its version as the baseline calls none differs in nothing that a line could name.
        var isAllowed = !deviations.isEmpty
        for deviation in deviations {
            let entries = allowed.entries.filter { $0.allows(deviation, in: compared.component, of: report.identity) }
            let valid = entries.filter { !$0.isExpired(on: today) }
            compared.expired += entries.filter { $0.isExpired(on: today) }
            if let entry = valid.first { compared.used.append(entry) } else { isAllowed = false }
        }
        if isAllowed { compared.state = .allowed }
    }

    private static func state(_ component: Component, _ finding: VerifyReport.Finding) -> FindingState {
        // Bytes that are proved to be others are no matter of age, whatever version the unit tells, or none.
        if finding.differences.contains(where: { $0 != finding.silence }) { return .drifted }
        guard let actual = finding.actual else { return component.mayBeMissing ? .drifted : .unknown }
        guard let now = FirmwareVersion(actual), let wanted = FirmwareVersion(finding.expected), now != wanted else { return .drifted }
        return now < wanted ? .older : .newer
    }
}
