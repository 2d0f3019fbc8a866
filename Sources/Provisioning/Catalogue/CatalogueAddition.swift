import Cryptography
import Foundation
import Support

extension AssetCatalogue {
    public enum AddOutcome: Sendable, Hashable {
        case added(path: String)
        /// The same bytes are listed under this version already.
        case present(path: String)
    }

    /// Copies an image into its folder and lists it. Whatever interrupts it, the manifest names only files that are there.
    /// - Parameters:
    ///   - version: as ``AssetCandidate/version(stated:)`` gave it.
    ///   - makesDefault: use it from now on, whatever else is there.
    /// - Throws: ``CatalogueError``, `CancellationError` while another addition is waited for.
    public func add(
        _ candidate: AssetCandidate, version: String, isDevelopment: Bool, makesDefault: Bool, clock: SessionClock
    ) async throws -> AddOutcome {
        guard let slot = candidate.component.slot else { throw CatalogueError.hardwareUnknown(candidate.hardware) }
        let folder = "\(root)/\(slot.folder(for: candidate.hardware))"
        let lock = try await CatalogueLock.hold(folder, clock: clock)
        defer { withExtendedLifetime(lock) {} }
        let manifest = "\(folder)/manifest.json"
        let sha256 = SHA256.text(of: candidate.bytes)
        let listed = try CatalogueManifest(path: manifest).entries(for: candidate.hardware).first { $0.version == version }
        let stem = "\(candidate.hardware)-\(version)"
        if let file = listed?.listed.first {
            guard file.sha256.lowercased() == sha256 else { throw CatalogueError.versionTaken(version: version, manifest: manifest) }
            if makesDefault { try rewrite(manifest, adding: nil, default: (candidate.hardware, version)) }
            return .present(path: "\(folder)/\(file.file)")
        }
        let name = stem + slot.suffix
        try CatalogueFiles.place(candidate.bytes, at: "\(folder)/\(name)")
        var entry: [String: Any] = ["version": version, "hardware": candidate.hardware, "file": name, "sha256": sha256]
        if isDevelopment { entry["development"] = true }
        if let key = candidate.key {
            try CatalogueFiles.place(key, at: "\(folder)/\(stem).pem")
            entry["key"] = "\(stem).pem"
        }
        try rewrite(manifest, adding: entry, default: makesDefault ? (candidate.hardware, version) : nil)
        return .added(path: "\(folder)/\(name)")
    }

    /// Keys that noafw does not know stay, entries keep their order; keys stand sorted, as they always do.
    private func rewrite(
        _ path: String, adding entry: [String: Any]?, default choice: (hardware: String, version: String)?
    ) throws(CatalogueError) {
        let bytes = try CatalogueFiles.read(path, limitBytes: CatalogueManifest.limitBytes)
        guard var document = try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any],
            var entries = document["entries"] as? [[String: Any]]
        else { throw .manifestInvalid(path: path, reason: "it is not JSON") }
        if let entry { entries.append(entry) }
        document["entries"] = entries
        if let choice {
            var defaults = document["default"] as? [String: Any] ?? [:]
            defaults[choice.hardware] = choice.version
            document["default"] = defaults
        }
        do {
            var text = try JSONSerialization.data(
                withJSONObject: document, options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
            text.append(UInt8(ascii: "\n"))
            try text.write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw .notWritten(path: path, reason: SystemError.text(error))
        }
    }
}
