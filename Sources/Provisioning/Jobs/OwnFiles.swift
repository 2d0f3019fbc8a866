import ScriptBundle

/// Files on a unit that nobody but a person has put there; names are printable.
public struct OwnFiles: Sendable, Equatable {
    /// Those that the scripts replace.
    public var replaced: [String]
    /// Those that the scripts leave alone.
    public var others: [String]

    public init(replaced: [String] = [], others: [String] = []) { (self.replaced, self.others) = (replaced, others) }

    private static let toldLimit = 8

    /// The first of them.
    static func list(_ names: [String]) -> String {
        names.prefix(toldLimit).joined(separator: ", ") + (names.count > toldLimit ? " and \(names.count - toldLimit) more" : "")
    }
}

extension OwnFiles {
    static func changed(among differences: [ScriptDifference]) -> [String] {
        differences.compactMap { if case .differs(let name, _, _) = $0 { name } else { nil } }
    }

    /// A main script without a version is nobody's release, and one that differs from the release that it names was changed.
    init(among differences: [ScriptDifference], version: String?, of scripts: ScriptSet) {
        let changed = Self.changed(among: differences)
        let isOwn = version == scripts.version || (version == nil && changed.contains(scripts.family.mainName))
        let others = differences.compactMap { if case .extra(let name) = $0 { name } else { nil } }
        self.init(replaced: isOwn ? changed : [], others: others.filter { !$0.hasSuffix(ScriptSet.copySuffix) })
    }
}
