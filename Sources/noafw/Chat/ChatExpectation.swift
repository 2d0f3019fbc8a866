import Ledger
import Provisioning
import ScriptBundle

/// What a chat's unit should hold: what the command line names, else what the unit last passed with, else the catalogue.
struct ChatExpectation: Sendable {
    private let inputs: AssetInputs
    private let passed: RunRecord?
    /// Versions of the parts that are expected as they passed.
    let recorded: [Component: String]
    /// The parts that are compared with files.
    let filed: Set<Component>

    /// - Parameter passed: the newest run that the unit has passed; `nil` where none is known.
    init(_ inputs: AssetInputs, _ components: Set<Component>, passed: RunRecord?) {
        (self.inputs, self.passed) = (inputs, passed)
        let unnamed = components.subtracting(inputs.named)
        recorded = Dictionary(
            uniqueKeysWithValues: unnamed.compactMap { part in passed?.versionsAfter[part.name].map { (part, $0) } })
        filed = components.subtracting(recorded.keys)
    }

    /// What the unit is compared with.
    var words: String {
        let named = filed.intersection(inputs.named)
        let files = inputs.bundle.map { "bundle \($0)" } ?? (named.isEmpty ? nil : "the files of the command line")
        let catalogue = filed.isSubset(of: named) ? nil : "the catalogue"
        let pass = recorded.isEmpty ? nil : passed.map { "its last pass, \(ReportText.when($0.endedAt ?? $0.startedAt, $0.verb))" }
        return [files, pass, catalogue].compactMap(\.self).joined(separator: " and ")
    }

    /// - Parameter assets: what a flash of the parts that differ would send; `nil` where it cannot be opened.
    func advice(on report: VerifyReport, assets: AssetSet?) -> RepairAdvice {
        let drifted = report.findings.filter { !$0.value.matches }
        guard let passed else { return .flash(isKnown: inputs.named.isSuperset(of: drifted.keys)) }
        let asItPassed = drifted.filter { part, finding in finding.actual.map { passed.versionsAfter[part.name] == $0 } ?? false }
        guard asItPassed.isEmpty else { return .otherFiles }
        let isRestored = drifted.allSatisfy { assets?[$0.key]?.version == $0.value.expected }
        return isRestored ? .flash(isKnown: true) : .provision(run: "\(passed.id)")
    }
}
