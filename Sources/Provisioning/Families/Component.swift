import DFU
import ScriptBundle

/// A part of a unit that is brought up to date. Each is declared next to its updater, with everything that the rest of a run
/// needs to know about it.
@dynamicMemberLookup
public struct Component: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// By reference: each of a line's reports names its components several times.
    public final class Declaration: Sendable {
        /// As in the command line, documents and records.
        public let name: String
        /// Lower numbers are updated first.
        let order: Int
        /// The stages that only its update has.
        public let stages: [Stage]
        /// How it is verified after a write, and in a deep verification.
        public let evidence: Evidence
        /// For people.
        public let title: String
        /// After an update of it the others must be asked for again.
        let outdatesOthers: Bool
        /// A unit may lack it, or hold its owner's own: then it reports no version.
        public let mayBeMissing: Bool
        /// `nil` if the catalogue does not hold it.
        public let slot: CatalogueSlot?

        public init(
            _ name: String, order: Int, stages: [Stage], evidence: Evidence, title: String? = nil, outdatesOthers: Bool = false,
            mayBeMissing: Bool = false, slot: CatalogueSlot? = nil
        ) {
            (self.name, self.order, self.stages, self.evidence) = (name, order, stages, evidence)
            (self.title, self.outdatesOthers, self.mayBeMissing, self.slot) = (title ?? name, outdatesOthers, mayBeMissing, slot)
        }
    }

    private let declaration: Declaration

    public init(_ declaration: Declaration) { self.declaration = declaration }

    public subscript<Value>(dynamicMember member: KeyPath<Declaration, Value>) -> Value { declaration[keyPath: member] }

    /// Structure, sizes, signature and hardware.
    public func check(_ content: AssetContent) throws -> CheckedAsset {
        guard let slot = declaration.slot else { throw CatalogueError.hardwareUnknown(content.hardware) }
        return try slot.check(content)
    }

    public var description: String { declaration.name }

    public static func == (left: Component, right: Component) -> Bool { left.declaration.name == right.declaration.name }
    public static func < (left: Component, right: Component) -> Bool {
        (left.declaration.order, left.declaration.name) < (right.declaration.order, right.declaration.name)
    }
    public func hash(into hasher: inout Hasher) { hasher.combine(declaration.name) }
}

extension Component: Encodable {
    public func encode(to encoder: any Encoder) throws { try declaration.name.encode(to: encoder) }
}

public enum Evidence: String, Sendable, Codable, CaseIterable {
    /// By the unit's own report: all there is for firmware, which cannot be read back.
    case version
    /// By digests of every byte, computed on the unit.
    case digest
}

/// A component in the catalogue.
public struct CatalogueSlot: Sendable {
    /// Below the asset root.
    let folder: String
    /// Each family has its own folder in it, which may be missing; otherwise an entry is one file, an image.
    let isByFamily: Bool
    /// Ends an image's file name.
    let suffix: String
    /// For each file; several times what the hardware holds.
    public let limitBytes: Int
    /// The first bytes of an image; empty if they may be any.
    let beginning: [UInt8]
    /// `nil` if the vendor's images differ in size.
    let usualByteCount: Int?
    /// Whether an image is for a bootloader; `nil` if no image says so.
    let suits: (@Sendable (_ image: [UInt8], DFUTarget) throws -> Bool)?
    let check: @Sendable (AssetContent) throws -> CheckedAsset

    public init(
        folder: String, isByFamily: Bool = false, suffix: String, limitBytes: Int, beginning: [UInt8] = [], usualByteCount: Int? = nil,
        suits: (@Sendable (_ image: [UInt8], DFUTarget) throws -> Bool)? = nil,
        check: @escaping @Sendable (AssetContent) throws -> CheckedAsset
    ) {
        (self.folder, self.isByFamily, self.suffix, self.limitBytes) = (folder, isByFamily, suffix, limitBytes)
        (self.beginning, self.usualByteCount, self.suits, self.check) = (beginning, usualByteCount, suits, check)
    }

    public var isImage: Bool { !isByFamily }

    func folder(for hardware: String) -> String { isByFamily ? "\(folder)/\(hardware)" : folder }
}

/// Unchecked files of one component.
public struct AssetContent {
    public var files: [ScriptSet.File]
    /// For messages.
    public var name: String
    public var hardware: String
    /// `nil` for a family without a bootloader.
    public var target: DFUTarget?
    /// `nil` for a family without scripts.
    public var language: ScriptFamily?
    /// Accepts any bytes as an image.
    var isUnchecked: Bool
    /// May sign a package.
    public var keys: () throws -> [TrustedKey]

    public var bytes: [UInt8] { files.first?.bytes ?? [] }
}

public struct CheckedAsset: Sendable {
    /// `nil` for files that do not contain it.
    public var version: String?
    /// Whether it is one of this project's stand-ins.
    public var isDevelopment: Bool
    /// The catalogue finds a missing version by it.
    public var digest: String?

    public init(version: String?, isDevelopment: Bool, digest: String? = nil) {
        (self.version, self.isDevelopment, self.digest) = (version, isDevelopment, digest)
    }
}
