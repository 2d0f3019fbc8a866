import Cryptography
import DFU
import ScriptBundle

/// An entry in a manifest, and whether a run uses it.
@dynamicMemberLookup
public struct CatalogueItem: Sendable, Hashable {
    public let component: Component
    public let folder: String
    public let entry: CatalogueEntry
    /// Whether a run without further options uses it.
    public let isChosen: Bool

    public subscript<Value>(dynamicMember member: KeyPath<CatalogueEntry, Value>) -> Value { entry[keyPath: member] }
}

extension AssetCatalogue {
    /// Every entry in every manifest; does not read the files themselves.
    public func items(of families: FamilyList) throws(CatalogueError) -> [CatalogueItem] {
        var items: [CatalogueItem] = []
        for (component, folder) in folders(of: families) {
            let manifest = try CatalogueManifest(path: "\(folder)/manifest.json")
            var chosen: [String: String] = [:]
            for entry in manifest.entries {
                if chosen[entry.hardware] == nil { chosen[entry.hardware] = try manifest.choose(for: entry.hardware).version }
                let isChosen = chosen[entry.hardware] == entry.version
                items.append(CatalogueItem(component: component, folder: folder, entry: entry, isChosen: isChosen))
            }
        }
        return items
    }

    /// The folders with a manifest. Only a family's own folder may be missing.
    private func folders(of families: FamilyList) -> [(Component, String)] {
        var folders: [(Component, String)] = []
        for component in families.components {
            guard let slot = component.slot else { continue }
            let takers = families.all.filter { $0.components.contains(component) }
            for family in slot.isByFamily ? takers : Array(takers.prefix(1)) {
                let folder = "\(root)/\(slot.folder(for: family.id.rawValue))"
                if !slot.isByFamily || CatalogueFiles.exists("\(folder)/manifest.json") { folders.append((component, folder)) }
            }
        }
        return folders
    }

    /// Checks an entry's files against the manifest, and the manifest against their content.
    /// - Throws: ``CatalogueError``, `DFUError`, `FPGAError`, `ScriptError`.
    public func check(_ item: CatalogueItem, for families: FamilyList) throws {
        let (found, key) = try Self.read(item.entry, of: item.component, in: item.folder)
        let files = found.map { ScriptSet.File(name: $0.name, bytes: $0.bytes) }
        let candidate = AssetCandidate(
            component: item.component, hardware: item.hardware, files: files, key: key?.bytes, name: files.first?.name ?? item.folder,
            families: families)
        _ = try candidate.version(stated: item.version)
    }
}

public struct AssetCandidate: Sendable {
    public let component: Component
    public internal(set) var hardware: String
    /// One file for an image.
    var files: [ScriptSet.File]
    var key: [UInt8]?
    /// For messages.
    let name: String
    private let families: FamilyList

    /// An image that says itself of which component it is.
    /// - Parameter hardware: `nil` for what the image is made for.
    /// - Throws: `DFUError` for a damaged package.
    public init(image bytes: [UInt8], name: String, hardware: String?, key: [UInt8]?, families: FamilyList) throws {
        let kinds = families.components.filter { $0.slot.map { $0.isImage && bytes.starts(with: $0.beginning) } ?? false }
        guard let component = kinds.first else { throw CatalogueError.hardwareUnknown(hardware ?? name) }
        let takers = families.all.filter { $0.components.contains(component) }
        let suited = try takers.first { family in
            try family.bootloader.flatMap { try component.slot?.suits?(bytes, $0.target) } ?? false
        }
        let hardware = hardware ?? (suited ?? takers.first)?.id.rawValue ?? ""
        self.init(
            component: component, hardware: hardware, files: [ScriptSet.File(name: name, bytes: bytes)], key: key, name: name,
            families: families)
    }

    public init(
        component: Component, hardware: String, files: [ScriptSet.File], key: [UInt8]? = nil, name: String, families: FamilyList
    ) {
        (self.component, self.hardware, self.files) = (component, hardware, files)
        (self.key, self.name, self.families) = (key, name, families)
    }

    var bytes: [UInt8] { files.first?.bytes ?? [] }

    /// What an operator should look at; an image that is shorter than usual is padded, but is more often another kind of file.
    public var doubt: String? {
        guard let usual = component.slot?.usualByteCount, bytes.count != usual else { return nil }
        return "the image has \(bytes.count) bytes, released ones have \(usual); make sure that it is one"
    }

    public static func check(_ bytes: [UInt8], sha256 expected: String, name: String) throws(CatalogueError) {
        let actual = SHA256.text(of: bytes)
        guard actual == expected else { throw .digestNotStated(file: name, stated: expected, actual: actual) }
    }

    /// As ``Component/check(_:)``.
    public func check() throws -> CheckedAsset {
        guard let family = families[FamilyID(hardware)], family.components.contains(component) else {
            throw CatalogueError.hardwareUnknown(hardware)
        }
        return try component.check(AssetContent(files: files, name: name, family: family) {
            families.vendorKeys + (try key.map { [try TrustedKey(name: "the entry's key", pem: $0)] } ?? [])
        })
    }

    /// Like ``check()``.
    /// - Parameter stated: required for an image without its version.
    /// - Returns: the version that the unit will show.
    public func version(stated: String?) throws -> String {
        if let stated, FirmwareVersion(stated) == nil { throw CatalogueError.versionInvalid(stated) }
        let found = try check().version
        if let found, let stated, found != stated {
            throw CatalogueError.versionDiffers(file: name, image: found, stated: stated)
        }
        guard let version = found ?? stated else { throw CatalogueError.versionUnknown(file: name) }
        return version
    }
}
