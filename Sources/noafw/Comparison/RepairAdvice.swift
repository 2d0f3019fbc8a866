import Provisioning

/// What a person does about a unit that differs: nothing that installs anything else than the unit was held against.
enum RepairAdvice: Sendable, Hashable {
    /// The files at hand make the unit what it is expected to be.
    /// - isKnown: whether anybody said what that is; else it is only the catalogue's.
    case flash(isKnown: Bool)
    /// The unit is as it last passed: other files were named.
    case otherFiles
    /// No file at hand holds what this run left on the unit.
    case provision(run: String)
    /// No file at hand holds what the unit had in this baseline.
    case restore(baseline: String)

    /// - Parameter flash: the command that makes the unit what the files at hand say.
    func text(_ flash: String) -> String {
        switch self {
        case .flash(isKnown: true): "run: \(flash)"
        case .flash(isKnown: false): "if it was provisioned with other files, name them with --bundle or --scripts; else run: \(flash)"
        case .otherFiles: "leave out the files that the command line names: the unit is as it last passed"
        case .provision(let run): "provision the unit with the same files again: noafw ledger show \(run) tells with which"
        case .restore(let baseline): "provision the unit with the files that it had in \(baseline): noafw ledger list tells of its runs"
        }
    }
}

/// The files of a command line, for another one.
struct NamedFiles: Sendable {
    var arguments: [String] = []
    /// Whose files are named.
    var parts: Set<Component> = []
    var bundle: String?
}

extension AssetInputs {
    /// The parts whose files the command line names.
    var named: Set<Component> {
        if bundle != nil || search.given != nil { return Set(FamilyList.supported.components) }
        return Set(files.keys)
    }
}
