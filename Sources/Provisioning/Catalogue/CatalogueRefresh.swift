import Cryptography
import Foundation
import Support

extension AssetCatalogue {
    /// A script as the manifest has it now.
    public struct Refreshed: Sendable, Hashable {
        public let path: String
        public let isChanged: Bool

        package init(path: String, isChanged: Bool) { (self.path, self.isChanged) = (path, isChanged) }
    }

    /// Writes the digests of edited scripts into their manifest: of the entry that a run would use. Images vouch for their maker's bytes
    /// and are left alone.
    /// - Returns: the entry's scripts in order; empty where the family has none.
    /// - Throws: ``CatalogueError``, `CancellationError` while it waits for another change.
    public func refreshScripts(of family: Family, clock: SessionClock) async throws -> [Refreshed] {
        guard let component = family.components.first(where: { $0.slot?.isImage == false }) else { return [] }
        let folder = try folder(of: component, family.id.rawValue)
        guard CatalogueFiles.exists("\(folder)/manifest.json") else { return [] }
        let lock = try await CatalogueLock.hold(folder, clock: clock)
        defer { withExtendedLifetime(lock) {} }
        let path = "\(folder)/manifest.json"
        let entry = try CatalogueManifest(path: path, requiresDigests: false).choose(for: family.id.rawValue)
        let limit = component.slot?.limitBytes ?? 0
        var digests: [String: String] = [:]
        for listed in entry.listed {
            digests[listed.file] = SHA256.text(of: try CatalogueFiles.read("\(folder)/\(listed.file)", limitBytes: limit))
        }
        let files = entry.listed.map { Refreshed(path: "\(folder)/\($0.file)", isChanged: digests[$0.file] != $0.sha256) }
        guard files.contains(where: \.isChanged) else { return files }
        try rewrite(path) { entries in entries = entries.map { Self.refreshed($0, like: entry, digests) } }
        return files
    }

    /// Whatever else the entry says stays.
    private static func refreshed(_ raw: Any, like entry: CatalogueEntry, _ digests: [String: String]) -> Any {
        guard var members = raw as? [String: Any], members["version"] as? String == entry.version,
            members["hardware"] as? String == entry.hardware, let files = members["files"] as? [[String: Any]]
        else { return raw }
        members["files"] = files.map { file in
            let digest = (file["file"] as? String).flatMap { digests[$0] }
            return digest.map { file.merging(["sha256": $0]) { $1 } } ?? file
        }
        return members
    }
}
