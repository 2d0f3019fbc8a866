import FrameFamily
import Provisioning

extension SupportedFamily {
    /// The families that this tool knows; nothing else lists them.
    static let all: [SupportedFamily] = [.monocle, .frame, SupportedFamily(family: .halo)]

    static subscript(_ id: FamilyID) -> SupportedFamily? { all.first { $0.id == id } }

    /// - Throws: ``UnitSelectionError/otherFamily(_:)`` for a unit that is never written to.
    static func provisioned(_ unit: DiscoveredUnit) throws(UnitSelectionError) -> SupportedFamily {
        guard let support = SupportedFamily[unit.family], support.family.provisioning != nil else { throw .otherFamily(unit) }
        return support
    }
}

extension FamilyList {
    static let supported = FamilyList(SupportedFamily.all.map(\.family))

    /// What units of a family hold; of a unit that nobody has made out, whatever any may hold.
    static func components(of family: FamilyID?) -> [Component] { family.flatMap { supported[$0]?.components } ?? Component.allCases }
}
