import Provisioning

extension SupportedFamily {
    /// The families that this tool works with; nothing else lists them.
    static let all: [SupportedFamily] = [.monocle, .frame]

    static subscript(_ id: FamilyID) -> SupportedFamily? { all.first { $0.id == id } }
}

extension FamilyList {
    static let supported = FamilyList(SupportedFamily.all.map(\.family))
}
