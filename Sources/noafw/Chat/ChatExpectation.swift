import Ledger
import Provisioning
import ScriptBundle

/// What a chat's unit should hold: what the command line names, else what the unit last passed with, else the catalogue.
struct ChatExpectation: Sendable {
    /// What a person does about a unit that differs, without taking away what was provisioned.
    enum Advice: Sendable, Hashable {
        /// The files at hand make the unit what it is expected to be.
        /// - isKnown: whether anybody said what that is; else it is only the catalogue's.
        case flash(isKnown: Bool)
        /// The unit is as it last passed: other files were named.
        case otherFiles
        /// No file at hand holds what this run left on the unit.
        case provision(run: String)
    }

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
            uniqueKeysWithValues: unnamed.compactMap { part in passed?.versionsAfter[part.rawValue].map { (part, $0) } })
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
    func advice(on report: VerifyReport, assets: AssetSet?) -> Advice {
        let drifted = report.findings.filter { !$0.value.matches }
        guard let passed else { return .flash(isKnown: !inputs.named.isEmpty) }
        let asItPassed = drifted.filter { part, finding in finding.actual.map { passed.versionsAfter[part.rawValue] == $0 } ?? false }
        guard asItPassed.isEmpty else { return .otherFiles }
        let isRestored = drifted.allSatisfy { assets?.version(of: $0.key) == $0.value.expected }
        return isRestored ? .flash(isKnown: true) : .provision(run: "\(passed.id)")
    }
}

extension ChatExpectation.Advice {
    /// - Parameter flash: the command that makes the unit what the files at hand say.
    func text(_ flash: String) -> String {
        switch self {
        case .flash(isKnown: true): "run: \(flash)"
        case .flash(isKnown: false): "if it was provisioned with other files, name them with --bundle or --scripts; else run: \(flash)"
        case .otherFiles: "leave out the files that the command line names: the unit is as it last passed"
        case .provision(let run): "provision the unit with the same files again: noafw ledger show \(run) tells with which"
        }
    }
}

extension AssetInputs {
    /// The parts whose files the command line names.
    var named: Set<Component> {
        if bundle != nil || search.given != nil { return Set(Component.allCases) }
        let files: [(Component, String?)] = [(.firmware, firmware), (.fpga, fpga), (.scripts, scripts)]
        return Set(files.filter { $0.1 != nil }.map(\.0))
    }
}

extension AssetSet {
    fileprivate func version(of component: Component) -> String? {
        switch component {
        case .firmware: firmware?.version
        case .fpga: fpga?.version
        case .scripts: scripts?.version
        }
    }
}
