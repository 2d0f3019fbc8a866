import Provisioning

/// A family, and what this program alone does with its units.
struct SupportedFamily: Sendable {
    let family: Family
    /// `nil` where there is no virtual unit of the family.
    var virtual: VirtualModel?
    /// `nil` where nobody can converse with its units.
    var chat: ChatSupport?

    var id: FamilyID { family.id }
}
