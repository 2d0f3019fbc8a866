import ArgumentParser
import Provisioning

/// The short name of a family whose units can be written to, as an option's value.
struct FamilyName: ExpressibleByArgument, Sendable, Hashable {
    let id: FamilyID

    init?(argument: String) {
        guard Self.allValueStrings.contains(argument) else { return nil }
        id = FamilyID(argument)
    }

    var family: Family? { FamilyList.supported[id] }
    var defaultValueDescription: String { id.rawValue }

    static var allValueStrings: [String] {
        FamilyList.supported.all.filter { $0.provisioning != nil || $0.network != nil }.map(\.id.rawValue)
    }
}
