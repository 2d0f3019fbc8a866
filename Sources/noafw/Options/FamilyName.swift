import ArgumentParser
import Provisioning

/// A supported family's short name, as an option's value.
struct FamilyName: ExpressibleByArgument, Sendable, Hashable {
    let id: FamilyID

    init?(argument: String) {
        guard Self.allValueStrings.contains(argument) else { return nil }
        id = FamilyID(argument)
    }

    var family: Family? { FamilyList.supported[id] }
    var defaultValueDescription: String { id.rawValue }

    static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }

    static var allValueStrings: [String] {
        SupportedFamily.all.filter { $0.family.provisioning != nil || $0.family.network != nil || !$0.bench.isEmpty }.map(\.id.rawValue)
    }
}
