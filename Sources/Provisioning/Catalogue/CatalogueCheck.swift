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
        let (folder, limit) = (item.folder, item.component.slot?.limitBytes ?? 0)
        let files = try item.listed.map {
            ScriptSet.File(name: $0.file, bytes: try CatalogueFiles.read("\(folder)/\($0.file)", sha256: $0.sha256, limitBytes: limit))
        }
        let key = try item.entry.key.map { try CatalogueFiles.read("\(folder)/\($0)", limitBytes: CatalogueFiles.keyLimitBytes) }
        let candidate = AssetCandidate(
            component: item.component, hardware: item.hardware, files: files, key: key, name: files.first?.name ?? folder,
            families: families)
        _ = try candidate.version(stated: item.version)
    }
}

public struct AssetCandidate: Sendable {
    let component: Component
    public internal(set) var hardware: String
    /// One file for an image.
    var files: [ScriptSet.File]
    var key: [UInt8]?
    /// For messages.
    let name: String
    private let families: FamilyList

    public init(
        component: Component, hardware: String, files: [ScriptSet.File], key: [UInt8]? = nil, name: String, families: FamilyList
    ) {
        (self.component, self.hardware, self.files) = (component, hardware, files)
        (self.key, self.name, self.families) = (key, name, families)
    }

    var bytes: [UInt8] { files.first?.bytes ?? [] }

    public static func check(_ bytes: [UInt8], sha256 expected: String, name: String) throws(CatalogueError) {
        let actual = SHA256.text(of: bytes)
        guard actual == expected else { throw .digestNotStated(file: name, stated: expected, actual: actual) }
    }

    /// Decided by a package's SoftDevice; an FPGA image belongs to the first family that accepts one.
    public static func hardware(of component: Component, bytes: [UInt8], among families: FamilyList) throws -> String {
        let makers = families.all.filter { $0.components.contains(component) }
        guard component == .firmware else { return makers.first?.id.rawValue ?? "" }
        let ids = try DFUPackage(bytes: bytes).images.flatMap { $0.initPacket.command.softDevices }
        let maker = makers.first { $0.bootloader.map { ids.contains($0.target.softDeviceID) } ?? false }
        return (maker ?? makers.first)?.id.rawValue ?? ""
    }

    /// Checks structure, sizes, signature and hardware.
    public func check() throws -> CheckedAsset {
        guard let slot = component.slot, let family = families[FamilyID(hardware)], family.components.contains(component) else {
            throw CatalogueError.hardwareUnknown(hardware)
        }
        let own = try key.map { [try TrustedKey(name: "the entry's key", pem: $0)] } ?? []
        return try slot.check(CatalogueContent(
            files: files, name: name, hardware: hardware, target: family.bootloader?.target, keys: families.vendorKeys + own,
            language: family.provisioning?.scripts))
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
