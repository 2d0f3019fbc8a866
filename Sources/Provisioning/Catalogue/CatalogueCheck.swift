import Cryptography
import DFU
import FPGA
import ScriptBundle

extension AssetCatalogue {
    /// Reads an entry's files and holds them against the manifest, and the manifest against what stands in them.
    /// - Throws: ``CatalogueError``, `DFUError`, `FPGAError`, `ScriptError`.
    public func check(_ item: CatalogueItem, for families: FamilyList) throws {
        let files = try zip(item.files, item.digests).map { name, expected in
            try CatalogueFiles.read("\(item.folder)/\(name)", sha256: expected, limitBytes: CatalogueFiles.limitBytes(item.component))
        }
        switch item.component {
        case .scripts:
            guard let family = families[FamilyID(item.hardware)]?.provisioning?.scripts else {
                throw CatalogueError.manifestInvalid(path: "\(item.folder)/manifest.json", reason: "\(item.hardware) has no scripts")
            }
            let listed = zip(item.files, files).map { ScriptSet.File(name: $0, bytes: $1) }
            _ = try ScriptSet(files: listed, family: family, order: .declared, place: item.folder)
        case .fpga, .firmware:
            let key = try item.key.map { name in
                try CatalogueFiles.read("\(item.folder)/\(name)", limitBytes: CatalogueFiles.keyLimitBytes)
            }
            let candidate = AssetCandidate(
                component: item.component, hardware: item.hardware, bytes: files.first ?? [], key: key, name: item.files.first ?? "",
                families: families)
            _ = try candidate.version(stated: item.version)
        }
    }
}

/// A firmware package or an FPGA image, before anything depends on it.
public struct AssetCandidate: Sendable {
    public var component: Component
    public var hardware: String
    public var bytes: [UInt8]
    /// The public key (PEM) that a package is signed with, when it is not the vendor's.
    public var key: [UInt8]?
    /// For messages.
    public var name: String
    private let families: FamilyList

    public init(
        component: Component, hardware: String, bytes: [UInt8], key: [UInt8]? = nil, name: String, families: FamilyList
    ) {
        self.families = families
        self.component = component
        self.hardware = hardware
        self.bytes = bytes
        self.key = key
        self.name = name
    }

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
    /// - Parameter stated: the version that the user gives; needed where the image does not tell.
    /// - Returns: the version that the unit will show.
    /// - Throws: ``CatalogueError``, `DFUError`, `FPGAError`.
    public func version(stated: String?) throws -> String {
        if let stated, !CatalogueManifest.isVersion(stated) { throw CatalogueError.versionInvalid(stated) }
        let found = try component == .firmware ? firmwareVersion() : fpgaVersion()
        if let found, let stated, found != stated {
            throw CatalogueError.versionDiffers(file: name, image: found, stated: stated)
        }
        guard let version = found ?? stated else { throw CatalogueError.versionUnknown(file: name) }
        return version
    }

    private func firmwareVersion() throws -> String? {
        guard let target = families[FamilyID(hardware)]?.bootloader?.target else { throw CatalogueError.hardwareUnknown(hardware) }
        let own = try key.map { [try TrustedKey(name: "the entry's key", pem: $0)] } ?? []
        let package = try DFUPackage(bytes: bytes)
        try package.check(against: target, trusting: families.vendorKeys + own)
        return package.images.first?.version?.description
    }

    private func fpgaVersion() throws -> String? {
        guard families[FamilyID(hardware)]?.components.contains(.fpga) == true else { throw CatalogueError.hardwareUnknown(hardware) }
        _ = try FPGAImage(bytes)
        return nil
    }
}
