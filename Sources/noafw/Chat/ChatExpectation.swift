import Ledger
import Provisioning
import ScriptBundle

/// The versions that a chat's unit should have: from the command line, else from the unit's last pass, else from the catalogue.
struct ChatExpectation: Sendable {
    private let inputs: AssetInputs
    /// The run that determines each component's expectation.
    private let sources: [Component: RunRecord]
    /// Expected versions, as recorded by a pass.
    let recorded: [Component: String]
    /// Components to compare with files.
    let filed: Set<Component>

    /// - Parameter passes: the unit's passed runs, newest first. For each component the newest run whose plan names it counts: a later
    ///   verification of other components has not checked it.
    init(_ inputs: AssetInputs, _ components: Set<Component>, passes: [RunRecord]) {
        self.inputs = inputs
        let plans = passes.map { ($0, RecordedPlan.components(in: $0.plan)) }
        let sources = components.reduce(into: [Component: RunRecord]()) { sources, part in
            let run = plans.first { $0.1.contains(part.name) }?.0 ?? passes.first
            if run?.versionsAfter[part.name] != nil { sources[part] = run }
        }
        self.sources = sources
        let unnamed = sources.filter { !inputs.named.contains($0.key) }
        recorded = Dictionary(uniqueKeysWithValues: unnamed.compactMap { part, run in run.versionsAfter[part.name].map { (part, $0) } })
        filed = components.subtracting(recorded.keys)
    }

    /// Names what the unit is compared with.
    var words: String {
        let named = filed.intersection(inputs.named)
        let files = inputs.bundle.map { "bundle \($0)" } ?? (named.isEmpty ? nil : "the files of the command line")
        let catalogue = filed.isSubset(of: named) ? nil : "the catalogue"
        let run = recorded.keys.compactMap { sources[$0] }.max { $0.startedAt < $1.startedAt }
        let pass = run.map { "its last pass, \(ReportText.when($0.endedAt ?? $0.startedAt, $0.verb))" }
        return [files, pass, catalogue].compactMap(\.self).joined(separator: " and ")
    }

    /// - Parameter assets: what a flash of the differing components would send; `nil` if it cannot be opened.
    func advice(on report: VerifyReport, assets: AssetSet?) -> RepairAdvice {
        let drifted = report.findings.filter { !$0.value.matches }
        let run = drifted.keys.sorted().compactMap { sources[$0] }.first ?? sources.values.first
        guard let run else { return .flash(isKnown: inputs.named.isSuperset(of: drifted.keys)) }
        let asItPassed = drifted.filter { part, finding in
            finding.actual.map { sources[part]?.versionsAfter[part.name] == $0 } ?? false
        }
        guard asItPassed.isEmpty else { return .otherFiles }
        let isRestored = drifted.allSatisfy { assets?[$0.key]?.version == $0.value.expected }
        return isRestored ? .flash(isKnown: true) : .provision(run: "\(run.id)")
    }
}
