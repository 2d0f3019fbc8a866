import DFU
import ScriptBundle

/// A part of a unit that is brought up to date. Each is declared next to its updater, with everything that the rest of a run
/// needs to know about it.
public struct Component: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// As in the command line, documents and records.
    public let name: String
    /// Lower numbers are updated first.
    let order: Int
    /// The stages that only its update has.
    public let stages: [Stage]
    /// How it is verified after a write, and in a deep verification.
    public let evidence: Evidence
    /// `nil` if the catalogue does not hold it.
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

public enum Evidence: String, Sendable, Codable, CaseIterable {
    /// By the unit's own report: all there is for firmware, which cannot be read back.
    case version
    /// By digests of every byte, computed on the unit.
    case digest
}

public struct CatalogueSlot: Sendable {
    /// Below the asset root.
    let folder: String
    /// Each family has its own folder in it, which may be missing.
    let isByFamily: Bool
    /// Ends an image's file name.
    let suffix: String
    /// For each file; several times what the hardware holds.
    let limitBytes: Int
    /// Checks structure, size, signature and hardware for an entry's files.
    let check: @Sendable (CatalogueContent) throws -> CheckedAsset

    public init(
        folder: String, isByFamily: Bool = false, suffix: String, limitBytes: Int,
        check: @escaping @Sendable (CatalogueContent) throws -> CheckedAsset
    ) {
        (self.folder, self.isByFamily, self.suffix, self.limitBytes, self.check) = (folder, isByFamily, suffix, limitBytes, check)
    }

    func folder(for hardware: String) -> String { isByFamily ? "\(folder)/\(hardware)" : folder }
}

/// The files of one component, and what their family says about them.
public struct CatalogueContent: Sendable {
    public var files: [ScriptSet.File]
    /// For messages.
    public var name: String
    public var hardware: String
    /// `nil` for a family without a bootloader.
    public var target: DFUTarget?
    public var keys: [TrustedKey]
    /// `nil` for a family without scripts.
    public var language: ScriptFamily?

    public var bytes: [UInt8] { files.first?.bytes ?? [] }
}

public struct CheckedAsset: Sendable {
    /// `nil` for files that do not contain it.
    var version: String?
    /// Whether it is one of this project's stand-ins.
    public var isDevelopment: Bool

    public init(version: String?, isDevelopment: Bool) { (self.version, self.isDevelopment) = (version, isDevelopment) }
}
