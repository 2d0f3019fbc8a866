import ArgumentParser
import Assistant
import Provisioning

/// A family, and what this program alone does with its units.
struct SupportedFamily: Sendable {
    private(set) var family: Family
    /// `nil` where there is no virtual unit of the family.
    var virtual: VirtualModel?
    /// `nil` where its units cannot be conversed with.
    var chat: ChatSupport?
    /// `nil` where its units have no prompt.
    var prompt: PromptLanguage?
    /// Opens and checks firmware that is one file without a package: its bytes, and the version that the unit will report, if the operator
    /// gave it. `nil` for a family whose firmware comes in packages.
    var bareFirmware: (@Sendable ([UInt8], String?) throws -> any ComponentAsset)?
    /// Verbs for its units alone.
    var bench: [any ParsableCommand.Type] = []

    var id: FamilyID { family.id }

    /// As `Family.reached(at:)`.
    func reached(at place: @escaping NetworkPlace) -> SupportedFamily {
        var reached = self
        reached.family = family.reached(at: place)
        return reached
    }
}
