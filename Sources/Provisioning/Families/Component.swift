import DFU
import ScriptBundle

/// What a unit holds that is brought up to date. Each is declared beside its updater, with everything that the rest of a run asks about it.
public struct Component: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// As the command line, documents and records have it.
    public let name: String
    /// Components with a smaller one are brought up to date first.
    let order: Int
    /// Those that only its update goes through.
    public let stages: [Stage]
    /// What a component is verified by once it was written, and by a deep verification.
    public let evidence: Evidence
    /// `nil` for a component that the catalogue does not hold.
    let slot: CatalogueSlot?

    public init(_ name: String, order: Int, stages: [Stage], evidence: Evidence, slot: CatalogueSlot? = nil) {
        (self.name, self.order, self.stages, self.evidence, self.slot) = (name, order, stages, evidence, slot)
    }

    public var description: String { name }

    public static func == (left: Component, right: Component) -> Bool { left.name == right.name }
    public static func < (left: Component, right: Component) -> Bool { (left.order, left.name) < (right.order, right.name) }
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension Component: Encodable {
    public func encode(to encoder: any Encoder) throws { try name.encode(to: encoder) }
}

/// What a component was verified by.
public enum Evidence: String, Sendable, Codable, CaseIterable {
    /// What the unit says of itself: all that there is for firmware, which cannot be read back.
    case version
    /// Digests of every byte, computed on the unit.
    case digest
}

/// Where the catalogue keeps a component.
public struct CatalogueSlot: Sendable {
    /// Of the asset root.
    let folder: String
    /// Each family has a folder of its own in it, and may have none.
    let isByFamily: Bool
    /// Of an image's file name.
    let suffix: String
    /// Several times what the hardware holds, for each file.
    let limitBytes: Int
    /// Checks the structure, size, signature and hardware of an entry's files.
    let check: @Sendable (CatalogueContent) throws -> CheckedAsset

    public init(
        folder: String, isByFamily: Bool = false, suffix: String, limitBytes: Int,
        check: @escaping @Sendable (CatalogueContent) throws -> CheckedAsset
    ) {
        (self.folder, self.isByFamily, self.suffix, self.limitBytes, self.check) = (folder, isByFamily, suffix, limitBytes, check)
    }

    func folder(for hardware: String) -> String { isByFamily ? "\(folder)/\(hardware)" : folder }
}

/// The files of one component, and what their family has to say of them.
public struct CatalogueContent: Sendable {
    public var files: [ScriptSet.File]
    /// For messages.
    public var name: String
    public var hardware: String
    /// `nil` for a family without a bootloader.
    public var target: DFUTarget?
    /// The keys that a package may be signed with.
    public var keys: [TrustedKey]
    /// `nil` for a family without scripts.
    public var language: ScriptFamily?

    /// Of an image.
    public var bytes: [UInt8] { files.first?.bytes ?? [] }
}

/// What a component's check found.
public struct CheckedAsset: Sendable {
    /// `nil` for files that do not tell.
    var version: String?
    /// Whether it is one of this project's own stand-ins.
    public var isDevelopment: Bool

    public init(version: String?, isDevelopment: Bool) { (self.version, self.isDevelopment) = (version, isDevelopment) }
}
