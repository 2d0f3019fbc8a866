import ArgumentParser
import Provisioning

/// The short name of a supported family, as an option's value.
struct FamilyName: ExpressibleByArgument, Sendable, Hashable {
    let id: FamilyID

    init?(argument: String) {
        guard FamilyList.supported[FamilyID(argument)] != nil else { return nil }
        id = FamilyID(argument)
    }

    var family: Family? { FamilyList.supported[id] }
    var defaultValueDescription: String { id.rawValue }

    static var allValueStrings: [String] { FamilyList.supported.all.map(\.id.rawValue) }
}
