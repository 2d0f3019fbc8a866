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
    /// For people.
    public let title: String
    /// Whatever else the unit holds has to be asked for again after an update of it.
    let outdatesOthers: Bool
    /// A unit that says no version has none, or one of its owner's.
    public let mayBeMissing: Bool
    /// `nil` for a component that the catalogue does not hold.
    public let slot: CatalogueSlot?

    public init(
        _ name: String, order: Int, stages: [Stage], evidence: Evidence, title: String? = nil, outdatesOthers: Bool = false,
        mayBeMissing: Bool = false, slot: CatalogueSlot? = nil
    ) {
        (self.name, self.order, self.stages, self.evidence) = (name, order, stages, evidence)
        (self.title, self.outdatesOthers, self.mayBeMissing, self.slot) = (title ?? name, outdatesOthers, mayBeMissing, slot)
    }

    /// Structure, sizes, signature and hardware.
    public func check(_ content: AssetContent) throws -> CheckedAsset {
        guard let slot else { throw CatalogueError.hardwareUnknown(content.family.id.rawValue) }
        return try slot.check(content)
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

/// Where the catalogue keeps a component, and what it knows of its files.
public struct CatalogueSlot: Sendable {
    /// Of the asset root.
    let folder: String
    /// Each family has a folder of its own in it, and may have none; else each entry is one file, an image.
    let isByFamily: Bool
    /// Of an image's file name.
    let suffix: String
    /// Several times what the hardware holds, for each file.
    public let limitBytes: Int
    /// How an image begins; empty where it may begin with anything.
    let beginning: [UInt8]
    /// What the vendor's images have, if all have the same.
    let usualByteCount: Int?
    /// Which of the families that take one an image is for; `nil` for the first.
    let taker: (@Sendable (_ image: [UInt8], [Family]) throws -> Family?)?
    /// As ``Component/check(_:)``.
    let check: @Sendable (AssetContent) throws -> CheckedAsset

    public init(
        folder: String, isByFamily: Bool = false, suffix: String, limitBytes: Int, beginning: [UInt8] = [], usualByteCount: Int? = nil,
        taker: (@Sendable (_ image: [UInt8], [Family]) throws -> Family?)? = nil,
        check: @escaping @Sendable (AssetContent) throws -> CheckedAsset
    ) {
        (self.folder, self.isByFamily, self.suffix, self.limitBytes) = (folder, isByFamily, suffix, limitBytes)
        (self.beginning, self.usualByteCount, self.taker, self.check) = (beginning, usualByteCount, taker, check)
    }

    public var isImage: Bool { !isByFamily }

    func folder(for hardware: String) -> String { isByFamily ? "\(folder)/\(hardware)" : folder }
}

/// The files of one component, not checked yet.
public struct AssetContent {
    public let files: [ScriptSet.File]
    /// For messages.
    public let name: String
    public let family: Family
    /// The keys that a package may be signed with.
    public let keys: () throws -> [TrustedKey]
    /// An image is taken whatever it holds.
    let isUnchecked: Bool

    public init(
        files: [ScriptSet.File], name: String, family: Family, isUnchecked: Bool = false, keys: @escaping () throws -> [TrustedKey]
    ) {
        (self.files, self.name, self.family, self.keys, self.isUnchecked) = (files, name, family, keys, isUnchecked)
    }

    /// Of an image.
    public var bytes: [UInt8] { files.first?.bytes ?? [] }
}

/// What a component's check found.
public struct CheckedAsset: Sendable {
    /// `nil` for files that do not tell.
    public var version: String?
    /// Whether it is one of this project's own stand-ins.
    public var isDevelopment: Bool
    /// By which a catalogue may know the version of files that do not tell.
    public var digest: String?
    /// What a unit gets, and the version that it shows then; without one it is the files' own.
    public let asset: @Sendable (_ version: String?) throws -> any ComponentAsset

    public init(
        version: String?, isDevelopment: Bool, digest: String? = nil,
        asset: @escaping @Sendable (_ version: String?) throws -> any ComponentAsset
    ) {
        (self.version, self.isDevelopment, self.digest, self.asset) = (version, isDevelopment, digest, asset)
    }
}
