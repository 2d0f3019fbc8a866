import ArgumentParser
import Assistant
import Bluetooth
import Provisioning
import Support

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
    /// Asks a unit that is never written to what it is, over a link that the caller owns. `nil` where its console is asked, or nothing.
    var identify: (@Sendable (any Connection, SessionClock) async throws -> [UnitDetail])?
    /// What its maker has released, where noafw knows it.
    var released: [VendorFile] = []
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

/// What a unit tells of itself beside versions and figures; printable.
struct UnitDetail: Sendable, Hashable, Encodable { var name, value: String }
