import Foundation

extension AssetCatalogue {
    /// Finds the asset root: the given folder, else `NOAFW_ASSETS`, else the current folder, else from the executable
    /// upwards the first folder that is a noafw checkout or has `share/noafw`.
    ///
    /// - Parameters:
    ///   - given: the value of `--assets`; it and `NOAFW_ASSETS` are taken as they are when the folder exists.
    ///   - executable: the path of the running program.
    /// - Throws: ``CatalogueError/rootNotFound(searched:)``.
    public static func locate(
        given: String?, environment: [String: String], currentDirectory: String, executable: String?
    ) throws(CatalogueError) -> AssetCatalogue {
        if let named = given ?? environment["NOAFW_ASSETS"].flatMap({ $0.isEmpty ? nil : $0 }) {
            let folder = URL(fileURLWithPath: named, relativeTo: URL(fileURLWithPath: currentDirectory, isDirectory: true)).path
            guard isFolder(folder) else { throw .rootNotFound(searched: [named]) }
            return AssetCatalogue(root: folder)
        }
        if holdsAssets(currentDirectory) { return AssetCatalogue(root: currentDirectory) }
        if let executable, let root = search(upwardsFrom: executable) { return AssetCatalogue(root: root) }
        throw .rootNotFound(searched: [currentDirectory] + (executable.map { ["the folders above \($0)"] } ?? []))
    }

    private static func search(upwardsFrom executable: String) -> String? {
        var folder = URL(fileURLWithPath: executable).resolvingSymlinksInPath().deletingLastPathComponent()
        while folder.path != "/" {
            let isCheckout = FileManager.default.fileExists(atPath: folder.appendingPathComponent("Package.swift").path)
            if isCheckout, holdsAssets(folder.path) { return folder.path }
            let shared = folder.appendingPathComponent("share/noafw").path
            if holdsAssets(shared) { return shared }
            folder.deleteLastPathComponent()
        }
        return nil
    }

    private static func holdsAssets(_ folder: String) -> Bool {
        ["Firmware/manifest.json", "FPGA/manifest.json", "Scripts"].allSatisfy {
            FileManager.default.fileExists(atPath: "\(folder)/\($0)")
        }
    }

    private static func isFolder(_ path: String) -> Bool {
        var isDirectory: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) && isDirectory.boolValue
    }
}
