import Cryptography
import FoundationEssentials
import ScriptBundle

/// The scripts that a folder's manifest declares, in order.
public struct ScriptDeclaration: Sendable {
    public let family: ScriptFamily
    /// In hashing and installation order.
    public let names: [String]
    private let digests: [String: String]
    private let folder: String

    /// - Parameter family: `nil` uses the manifest's, which must be one of `families`.
    /// - Returns: `nil` if the folder has no `manifest.json`.
    /// - Throws: ``CatalogueError``.
    public init?(folder: String, family: ScriptFamily?, among families: [ScriptFamily]) throws(CatalogueError) {
        let manifest: CatalogueManifest
        do {
            manifest = try CatalogueManifest(path: "\(folder)/manifest.json", requiresDigests: false)
        } catch .manifestMissing {
            return nil
        }
        let hardware = if let family { family.name } else { try Self.onlyHardware(of: manifest) }
        guard let known = family ?? families.first(where: { $0.name == hardware }) else {
            throw .manifestInvalid(path: manifest.path, reason: "\(hardware) is no hardware with scripts")
        }
        let entry = try manifest.choose(for: hardware)
        self.family = known
        self.folder = folder
        names = entry.listed.map(\.file)
        digests = Dictionary(entry.listed.map { ($0.file, $0.sha256) }, uniquingKeysWith: { first, _ in first })
    }

    private static func onlyHardware(of manifest: CatalogueManifest) throws(CatalogueError) -> String {
        let all = Set(manifest.entries.map(\.hardware))
        guard let hardware = all.first, all.count == 1 else {
            throw .manifestInvalid(
                path: manifest.path, reason: "it has entries for \(all.count) kinds of hardware; say which with --family")
        }
        return hardware
    }

    public func check(_ scripts: ScriptSet) throws(CatalogueError) {
        if let first = changed(scripts.files).first { throw first.error }
    }

    /// Files that have another SHA-256 than the one that is declared.
    public func changed(_ files: [ScriptSet.File]) -> [(name: String, error: CatalogueError)] {
        files.compactMap { file in
            guard let expected = digests[file.name], !expected.isEmpty else { return nil }
            let actual = SHA256.text(of: file.bytes)
            guard actual != expected else { return nil }
            return (file.name, .digestDiffers(path: "\(folder)/\(file.name)", expected: expected, actual: actual))
        }
    }
}
