import Foundation

/// The images and scripts that come with noafw or were added by its owner.
///
/// A manifest in each folder names the files. A file is read whole and then checked, so nothing can change between check and
/// use.
public struct AssetCatalogue: Sendable {
    /// Contains `Firmware`, `FPGA` and `Scripts`.
    public let root: String

    public init(root: String) { self.root = root }

    public struct File: Sendable, Hashable {
        public var name: String
        public var path: String
        public var bytes: [UInt8]
    }

    public struct Image: Sendable, Hashable {
        /// `vYY.DDD.HHMM`, as the unit shows it.
        public var version: String
        public var file: File
        /// Lower-case hexadecimal.
        public var sha256: String
        public var isDevelopment: Bool
        /// The public key (PEM) of the package's signature, if it is not the vendor's.
        public var key: File?
    }

    public struct Scripts: Sendable, Hashable {
        /// The set's own name; the unit shows a digest of the content.
        public var version: String
        public var folder: String
        /// In installation order.
        public var files: [File]
        public var isDevelopment: Bool
    }

    /// - Parameter hardware: as in the manifests, such as `monocle`.
    public func firmware(for hardware: String) throws(CatalogueError) -> Image { try image(.firmware, for: hardware) }

    public func fpga(for hardware: String) throws(CatalogueError) -> Image { try image(.fpga, for: hardware) }

    public func scripts(for hardware: String) throws(CatalogueError) -> Scripts {
        let (_, entry, folder) = try choose(.scripts, hardware)
        let files = try entry.listed.map { listed throws(CatalogueError) in try checkedFile(listed, in: folder, .scripts) }
        return Scripts(version: entry.version, folder: folder, files: files, isDevelopment: entry.isDevelopment)
    }

    /// By lower-case SHA-256; does not read the files themselves.
    public func fpgaVersions(for hardware: String) throws(CatalogueError) -> [String: String] {
        let entries = try CatalogueManifest(path: "\(root)/FPGA/manifest.json").entries(for: hardware)
        let pairs = entries.flatMap { entry in entry.listed.map { ($0.sha256, entry.version) } }
        return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    }

    func folder(of component: Component, _ hardware: String) throws(CatalogueError) -> String {
        guard let slot = component.slot else { throw .hardwareUnknown(hardware) }
        return "\(root)/\(slot.folder(for: hardware))"
    }

    private typealias Choice = (manifest: CatalogueManifest, entry: CatalogueEntry, folder: String)

    private func choose(_ component: Component, _ hardware: String) throws(CatalogueError) -> Choice {
        let folder = try folder(of: component, hardware)
        let manifest = try CatalogueManifest(path: "\(folder)/manifest.json")
        return (manifest, try manifest.choose(for: hardware), folder)
    }

    private func image(_ component: Component, for hardware: String) throws(CatalogueError) -> Image {
        let (manifest, entry, folder) = try choose(component, hardware)
        guard let listed = entry.listed.first, entry.listed.count == 1 else {
            throw .manifestInvalid(path: manifest.path, reason: "\(entry.version) names more than one file")
        }
        let file = try checkedFile(listed, in: folder, component)
        var key: File?
        if let name = entry.key {
            let path = "\(folder)/\(name)"
            key = File(name: name, path: path, bytes: try CatalogueFiles.read(path, limitBytes: CatalogueFiles.keyLimitBytes))
        }
        return Image(version: entry.version, file: file, sha256: listed.sha256, isDevelopment: entry.isDevelopment, key: key)
    }

    private func checkedFile(_ listed: CatalogueEntry.File, in folder: String, _ component: Component) throws(CatalogueError) -> File {
        let path = "\(folder)/\(listed.file)"
        let bytes = try CatalogueFiles.read(path, sha256: listed.sha256, limitBytes: component.slot?.limitBytes ?? 0)
        return File(name: listed.file, path: path, bytes: bytes)
    }
}

extension AssetCatalogue {
    /// The given folder, else `NOAFW_ASSETS`, else the current folder, else the first folder above the executable that is a
    /// noafw checkout or contains `share/noafw`.
    /// - Parameter given: like `NOAFW_ASSETS`, used unchecked if the folder exists.
    public static func locate(
        given: String?, environment: [String: String], currentDirectory: String, executable: String?
    ) throws(CatalogueError) -> AssetCatalogue {
        if let named = given ?? environment["NOAFW_ASSETS"].flatMap({ $0.isEmpty ? nil : $0 }) {
            let folder = URL(fileURLWithPath: named, relativeTo: URL(fileURLWithPath: currentDirectory, isDirectory: true)).path
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), isFolder.boolValue else {
                throw .rootNotFound(searched: [named])
            }
            return AssetCatalogue(root: folder)
        }
        if holdsAssets(currentDirectory) { return AssetCatalogue(root: currentDirectory) }
        if let executable, let root = search(upwardsFrom: executable) { return AssetCatalogue(root: root) }
        throw .rootNotFound(searched: [currentDirectory] + (executable.map { ["the folders above \($0)"] } ?? []))
    }

    private static func search(upwardsFrom executable: String) -> String? {
        var folder = URL(fileURLWithPath: executable).resolvingSymlinksInPath().deletingLastPathComponent()
        while folder.path != "/" {
            if CatalogueFiles.exists("\(folder.path)/Package.swift"), holdsAssets(folder.path) { return folder.path }
            let shared = "\(folder.path)/share/noafw"
            if holdsAssets(shared) { return shared }
            folder.deleteLastPathComponent()
        }
        return nil
    }

    private static func holdsAssets(_ folder: String) -> Bool {
        ["Firmware/manifest.json", "FPGA/manifest.json", "Scripts"].allSatisfy { CatalogueFiles.exists("\(folder)/\($0)") }
    }
}
