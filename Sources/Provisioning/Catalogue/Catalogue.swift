import FoundationEssentials

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

    /// What a run without further options uses of a component.
    public struct Content: Sendable, Hashable {
        /// `vYY.DDD.HHMM`, as the unit shows it; of scripts the set's own: the unit shows a digest of them.
        public var version: String
        public var folder: String
        /// One for an image, else in the order in which they are installed.
        public var files: [File]
        public var isDevelopment: Bool
        /// The public key (PEM) of the package's signature, if it is not the vendor's.
        public var key: File?
    }

    /// - Parameter hardware: as the manifests name it, such as `monocle`.
    public func content(of component: Component, for hardware: String) throws(CatalogueError) -> Content {
        let folder = try folder(of: component, hardware)
        let manifest = try CatalogueManifest(path: "\(folder)/manifest.json")
        let entry = try manifest.choose(for: hardware)
        let (files, key) = try Self.read(entry, of: component, in: folder)
        return Content(version: entry.version, folder: folder, files: files, isDevelopment: entry.isDevelopment, key: key)
    }

    static func read(
        _ entry: CatalogueEntry, of component: Component, in folder: String
    ) throws(CatalogueError) -> (files: [File], key: File?) {
        guard component.slot?.isImage == false || entry.listed.count == 1 else {
            throw .manifestInvalid(path: "\(folder)/manifest.json", reason: "\(entry.version) names more than one file")
        }
        let files = try entry.listed.map { listed throws(CatalogueError) in
            let path = "\(folder)/\(listed.file)"
            let bytes = try CatalogueFiles.read(path, sha256: listed.sha256, limitBytes: component.slot?.limitBytes ?? 0)
            return File(name: listed.file, path: path, bytes: bytes)
        }
        let key = try entry.key.map { name throws(CatalogueError) in
            let path = "\(folder)/\(name)"
            return File(name: name, path: path, bytes: try CatalogueFiles.read(path, limitBytes: CatalogueFiles.keyLimitBytes))
        }
        return (files, key)
    }

    /// By lower-case SHA-256; the files themselves are not read.
    public func versions(of component: Component, for hardware: String) throws(CatalogueError) -> [String: String] {
        let manifest = try CatalogueManifest(path: "\(folder(of: component, hardware))/manifest.json")
        let entries = manifest.entries(for: hardware)
        let pairs = entries.flatMap { entry in entry.listed.map { ($0.sha256, entry.version) } }
        return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    }

    func folder(of component: Component, _ hardware: String) throws(CatalogueError) -> String {
        guard let slot = component.slot else { throw .hardwareUnknown(hardware) }
        return "\(root)/\(slot.folder(for: hardware))"
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
            var isFolder = false
            guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), isFolder else {
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
