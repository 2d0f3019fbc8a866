import Foundation

/// The images and scripts that come with noafw, or that its owner put beside them.
///
/// A manifest in each folder names the files with their version, hardware and SHA-256. What is handed out has been read
/// whole and checked, so nothing can change between the check and the use.
public struct AssetCatalogue: Sendable {
    /// The folder that holds `Firmware`, `FPGA` and `Scripts`.
    public let root: String

    public init(root: String) { self.root = root }

    /// One file in memory.
    public struct File: Sendable, Hashable {
        public var name: String
        public var path: String
        public var bytes: [UInt8]
    }

    /// A firmware package or an FPGA image.
    public struct Image: Sendable, Hashable {
        /// `vYY.DDD.HHMM`, the text that the unit shows when it runs this image.
        public var version: String
        public var file: File
        /// Lower-case hexadecimal.
        public var sha256: String
        public var isDevelopment: Bool
        /// The public key (PEM) that a package is signed with, when it is not the vendor's.
        public var key: File?
    }

    /// A set of scripts.
    public struct Scripts: Sendable, Hashable {
        /// The set's own version; the unit shows a digest of the content instead.
        public var version: String
        public var folder: String
        /// In the order in which they are installed.
        public var files: [File]
        public var isDevelopment: Bool
    }

    /// The firmware package to flash.
    /// - Parameter hardware: a name as the manifests use it, such as `monocle`.
    /// - Throws: ``CatalogueError``.
    public func firmware(for hardware: String) throws(CatalogueError) -> Image {
        try image(.firmware, for: hardware)
    }

    /// The FPGA image to flash.
    /// - Throws: ``CatalogueError``.
    public func fpga(for hardware: String) throws(CatalogueError) -> Image {
        try image(.fpga, for: hardware)
    }

    /// The scripts to install.
    /// - Throws: ``CatalogueError``.
    public func scripts(for hardware: String) throws(CatalogueError) -> Scripts {
        let folder = try folder(of: .scripts, hardware)
        let entry = try CatalogueManifest(path: "\(folder)/manifest.json").choose(for: hardware)
        let files = try entry.listed.map { listed throws(CatalogueError) in
            try checkedFile(listed, in: folder, .scripts)
        }
        return Scripts(version: entry.version, folder: folder, files: files, isDevelopment: entry.isDevelopment)
    }

    /// The versions of all listed FPGA images by lower-case SHA-256; the files themselves are not read.
    /// - Throws: ``CatalogueError``.
    public func fpgaVersions(for hardware: String) throws(CatalogueError) -> [String: String] {
        let entries = try CatalogueManifest(path: "\(root)/FPGA/manifest.json").entries(for: hardware)
        let pairs = entries.flatMap { entry in entry.listed.map { ($0.sha256.lowercased(), entry.version) } }
        return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    }

    private func folder(of component: Component, _ hardware: String) throws(CatalogueError) -> String {
        guard let slot = component.slot else { throw .hardwareUnknown(hardware) }
        return "\(root)/\(slot.folder(for: hardware))"
    }

    private func image(_ component: Component, for hardware: String) throws(CatalogueError) -> Image {
        let folder = try folder(of: component, hardware)
        let manifest = try CatalogueManifest(path: "\(folder)/manifest.json")
        let entry = try manifest.choose(for: hardware)
        guard let listed = entry.listed.first, entry.listed.count == 1 else {
            throw .manifestInvalid(path: manifest.path, reason: "\(entry.version) names more than one file")
        }
        let file = try checkedFile(listed, in: folder, component)
        var key: File?
        if let name = entry.key {
            let path = "\(folder)/\(name)"
            key = File(name: name, path: path, bytes: try CatalogueFiles.read(path, limitBytes: CatalogueFiles.keyLimitBytes))
        }
        return Image(
            version: entry.version, file: file, sha256: listed.sha256.lowercased(), isDevelopment: entry.isDevelopment,
            key: key)
    }

    private func checkedFile(
        _ listed: CatalogueManifest.Entry.File, in folder: String, _ component: Component
    ) throws(CatalogueError) -> File {
        let path = "\(folder)/\(listed.file)"
        let bytes = try CatalogueFiles.read(
            path, sha256: listed.sha256.lowercased(), limitBytes: component.slot?.limitBytes ?? 0)
        return File(name: listed.file, path: path, bytes: bytes)
    }
}
