import FrameFamily
import Provisioning

extension SupportedFamily {
    /// The families that this tool knows; nothing else lists them.
    static let all: [SupportedFamily] = [
        .monocle, .frame, SupportedFamily(family: .halo), .openbot, .keyboard,
    ]

    static subscript(_ id: FamilyID) -> SupportedFamily? { all.first { $0.id == id } }
}

extension FamilyList {
    static let supported = FamilyList(SupportedFamily.all.map(\.family))

    /// What units of a family hold; of a unit that nobody has made out, whatever any may hold.
    static func components(of family: FamilyID?) -> [Component] { family.flatMap { supported[$0]?.components } ?? supported.components }
}
