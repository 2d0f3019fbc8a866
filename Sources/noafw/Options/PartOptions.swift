import ArgumentParser
import Provisioning

/// Which parts a verb works on.
struct PartOptions: ParsableArguments, Sendable {
    @Option(help: ArgumentHelp("Only work on these: firmware, fpga, scripts.", valueName: "parts"))
    var only: [PartList] = []

    /// `nil` for all that a unit has.
    var value: Set<Component>? { only.isEmpty ? nil : only.reduce(into: []) { $0.formUnion($1.parts) } }
}

/// A comma-separated list of parts.
struct PartList: Sendable, Hashable {
    var parts: Set<Component>
}

extension PartList: ExpressibleByArgument {
    init?(argument: String) {
        let names = argument.split(separator: ",", omittingEmptySubsequences: false)
        let parts = names.compactMap { Component(rawValue: String($0)) }
        guard parts.count == names.count else { return nil }
        self.init(parts: Set(parts))
    }

    static var defaultCompletionKind: CompletionKind { .list(Component.allCases.map(\.rawValue)) }
}
