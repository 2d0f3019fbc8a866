import ArgumentParser
import Provisioning

/// The value of `--virtual`, `FAMILY[:NAME]`.
struct VirtualUnitName: Sendable, Hashable, CustomStringConvertible {
    var family: FamilyID
    /// Letters, digits, `-` and `_`; it becomes a folder's name.
    var name: String

    static let defaultName = "default"
    static let lengthLimit = 32
    static let misuse = "--virtual names the unit already: leave out --device, --nearest, --family, --label and --adapter."

    /// As on the command line; also the unit's `id` in JSON documents.
    var description: String { name == Self.defaultName ? family.rawValue : "\(family.rawValue):\(name)" }
}

extension VirtualUnitName {
    /// - Throws: `ValidationError`.
    init(argument: String) throws {
        let parts = argument.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let family = Self.families.first(where: { $0.rawValue == parts[0] }) else {
            throw ValidationError("a virtual unit is one of: \(Self.familyNames).")
        }
        let name = parts.count == 2 ? parts[1] : Self.defaultName
        let isSafe = name.utf8.allSatisfy {
            (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
        }
        guard isSafe, (1...Self.lengthLimit).contains(name.utf8.count) else {
            throw ValidationError("its name is 1 to \(Self.lengthLimit) letters, digits, '-' and '_', such as \(family.rawValue):bench-2.")
        }
        self.init(family: family, name: name)
    }

    /// `NAME` for the first; `NAME-2`, `NAME-3` for others of a count.
    func numbered(_ number: Int) -> VirtualUnitName {
        guard number > 1 else { return self }
        return VirtualUnitName(family: family, name: name == Self.defaultName ? "\(number)" : "\(name)-\(number)")
    }

    /// Families with a virtual model.
    static let families = SupportedFamily.all.filter { $0.virtual != nil }.map(\.id)

    static let familyNames = families.map(\.rawValue).joined(separator: ", ")

    static var completion: CompletionKind { .list(families.map(\.rawValue)) }
}
