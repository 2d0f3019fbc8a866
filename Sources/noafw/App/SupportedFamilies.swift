import FrameFamily
import OpenBotFamily
import Provisioning

extension SupportedFamily {
    /// The families that this tool knows; nothing else lists them.
    static let all: [SupportedFamily] = [
        .monocle, .frame, SupportedFamily(family: .halo), SupportedFamily(family: .openbot), .keyboard,
    ]

    static subscript(_ id: FamilyID) -> SupportedFamily? { all.first { $0.id == id } }

    /// Those whose units may be written to.
    /// - Parameter family: `nil` for all of them.
    static func provisioned(_ family: FamilyID?) -> [SupportedFamily] {
        all.filter { $0.family.provisioning != nil && (family == nil || family == $0.id) }
    }

    /// - Throws: ``UnitSelectionError/otherFamily(_:)`` for a unit that is never written to.
    static func provisioned(_ unit: DiscoveredUnit) throws(UnitSelectionError) -> SupportedFamily {
        guard let support = provisioned(unit.family).first else { throw .otherFamily(unit) }
        return support
    }
}

extension FamilyList {
    static let supported = FamilyList(SupportedFamily.all.map(\.family))

    /// What units of a family hold; of a unit that nobody has made out, whatever any may hold.
    static func components(of family: FamilyID?) -> [Component] { family.flatMap { supported[$0]?.components } ?? supported.components }
}
