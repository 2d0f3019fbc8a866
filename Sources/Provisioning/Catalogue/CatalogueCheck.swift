import Cryptography
import DFU
import ScriptBundle

extension AssetCatalogue {
    /// Reads an entry's files and holds them against the manifest, and the manifest against what stands in them.
    /// - Throws: ``CatalogueError``, `DFUError`, `FPGAError`, `ScriptError`.
    public func check(_ item: CatalogueItem, for families: FamilyList) throws {
        let limit = item.component.slot?.limitBytes ?? 0
        let files = try zip(item.files, item.digests).map { name, expected in
            ScriptSet.File(name: name, bytes: try CatalogueFiles.read("\(item.folder)/\(name)", sha256: expected, limitBytes: limit))
        }
        let key = try item.key.map { try CatalogueFiles.read("\(item.folder)/\($0)", limitBytes: CatalogueFiles.keyLimitBytes) }
        let candidate = AssetCandidate(
            component: item.component, hardware: item.hardware, files: files, key: key, name: item.files.first ?? item.folder, families: families)
        _ = try candidate.version(stated: item.version)
    }
}

/// The files of one component, before anything depends on them.
public struct AssetCandidate: Sendable {
    public var component: Component
    public var hardware: String
    /// One for an image.
    public var files: [ScriptSet.File]
    /// The public key (PEM) that a package is signed with, when it is not the vendor's.
    public var key: [UInt8]?
    /// For messages.
    public var name: String
    private let families: FamilyList

    public init(
        component: Component, hardware: String, files: [ScriptSet.File], key: [UInt8]? = nil, name: String, families: FamilyList
    ) {
        self.families = families
        self.component = component
        self.hardware = hardware
        self.files = files
        self.key = key
        self.name = name
    }

    public var bytes: [UInt8] { files.first?.bytes ?? [] }

    /// - Throws: ``CatalogueError/digestNotStated(file:stated:actual:)``.
    public static func check(_ bytes: [UInt8], sha256 expected: String, name: String) throws(CatalogueError) {
        let actual = SHA256.text(of: bytes)
        guard actual == expected else { throw .digestNotStated(file: name, stated: expected, actual: actual) }
    }

    /// The hardware that a package is made for, by its SoftDevice; an FPGA image is for the first family that takes one.
    /// - Throws: `DFUError`.
    public static func hardware(of component: Component, bytes: [UInt8], among families: FamilyList) throws -> String {
        let makers = families.all.filter { $0.components.contains(component) }
        guard component == .firmware else { return makers.first?.id.rawValue ?? "" }
        let ids = try DFUPackage(bytes: bytes).images.flatMap { $0.initPacket.command.softDevices }
        let maker = makers.first { $0.bootloader.map { ids.contains($0.target.softDeviceID) } ?? false }
        return (maker ?? makers.first)?.id.rawValue ?? ""
    }

    /// Checks structure, sizes, signature and hardware.
    /// - Throws: ``CatalogueError``, `DFUError`, `FPGAError`, `ScriptError`.
    public func check() throws -> CheckedAsset {
        guard let slot = component.slot, let family = families[FamilyID(hardware)], family.components.contains(component) else {
            throw CatalogueError.hardwareUnknown(hardware)
        }
        let own = try key.map { [try TrustedKey(name: "the entry's key", pem: $0)] } ?? []
        return try slot.check(CatalogueContent(
            files: files, name: name, hardware: hardware, target: family.bootloader?.target, keys: families.vendorKeys + own,
            language: family.provisioning?.scripts))
    }

    /// As ``check()``.
    /// - Parameter stated: the version that the user gives; needed where the image does not tell.
    /// - Returns: the version that the unit will show.
    public func version(stated: String?) throws -> String {
        if let stated, !CatalogueManifest.isVersion(stated) { throw CatalogueError.versionInvalid(stated) }
        let found = try check().version
        if let found, let stated, found != stated {
            throw CatalogueError.versionDiffers(file: name, image: found, stated: stated)
        }
        guard let version = found ?? stated else { throw CatalogueError.versionUnknown(file: name) }
        return version
    }
}
