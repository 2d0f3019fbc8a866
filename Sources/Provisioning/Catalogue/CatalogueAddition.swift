import Cryptography
import Foundation
import Support

extension AssetCatalogue {
    public struct Addition: Sendable, Hashable {
        public let path: String
        /// `false` if the same bytes are already listed under this version.
        public let isNew: Bool
    }

    /// Copies an image into its folder and lists it. After any interruption, the manifest names only files that exist.
    /// - Parameter version: from ``AssetCandidate/version(stated:)``.
    /// - Throws: ``CatalogueError``, `CancellationError` while it waits for another addition.
    public func add(
        _ candidate: AssetCandidate, version: String, isDevelopment: Bool, makesDefault: Bool, clock: SessionClock
    ) async throws -> Addition {
        let folder = try folder(of: candidate.component, candidate.hardware)
        let lock = try await CatalogueLock.hold(folder, clock: clock)
        defer { withExtendedLifetime(lock) {} }
        let manifest = "\(folder)/manifest.json"
        let sha256 = SHA256.text(of: candidate.bytes)
        let choice = makesDefault ? (candidate.hardware, version) : nil
        let listed = try CatalogueManifest(path: manifest).entries(for: candidate.hardware).first { $0.version == version }
        if let file = listed?.listed.first {
            guard file.sha256 == sha256 else { throw CatalogueError.versionTaken(version: version, manifest: manifest) }
            if choice != nil { try rewrite(manifest, adding: nil, default: choice) }
            return Addition(path: "\(folder)/\(file.file)", isNew: false)
        }
        let stem = "\(candidate.hardware)-\(version)"
        let name = stem + (candidate.component.slot?.suffix ?? "")
        try CatalogueFiles.place(candidate.bytes, at: "\(folder)/\(name)")
        var entry = CatalogueEntry(version: version, hardware: candidate.hardware, file: name, sha256: sha256)
        if isDevelopment { entry.development = true }
        if let key = candidate.key {
            try CatalogueFiles.place(key, at: "\(folder)/\(stem).pem")
            entry.key = "\(stem).pem"
        }
        try rewrite(manifest, adding: entry, default: choice)
        return Addition(path: "\(folder)/\(name)", isNew: true)
    }

    /// Unknown keys are kept, entries keep their order; keys are sorted, as always.
    /// - Parameter change: of the entries.
    func rewrite(
        _ path: String, adding entry: CatalogueEntry? = nil, default choice: (hardware: String, version: String)? = nil,
        change: (inout [Any]) -> Void = { _ in }
    ) throws(CatalogueError) {
        let bytes = try CatalogueFiles.read(path, limitBytes: CatalogueManifest.limitBytes)
        guard var document = try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any],
            var entries = document["entries"] as? [Any]
        else { throw .manifestInvalid(path: path, reason: "it is not JSON") }
        do {
            if let entry { entries.append(try JSONSerialization.jsonObject(with: JSONEncoder().encode(entry))) }
            change(&entries)
            document["entries"] = entries
            if let choice {
                let defaults = document["default"] as? [String: Any] ?? [:]
                document["default"] = defaults.merging([choice.hardware: choice.version]) { $1 }
            }
            var text = try JSONSerialization.data(withJSONObject: document, options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
            text.append(UInt8(ascii: "\n"))
            try text.write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw .notWritten(path: path, reason: SystemError.text(error))
        }
    }
}

/// Held from reading a manifest to writing it: simultaneous additions would lose each other's entries.
final class CatalogueLock: Sendable {
    /// A stopped process may hold it for ever.
    static let timeout = Duration.seconds(10)
    private static let pollPause = Duration.milliseconds(20)

    private let lock: HeldLock

    static func hold(_ folder: String, clock: SessionClock) async throws -> CatalogueLock {
        let lock = try CatalogueLock(opening: folder)
        let deadline = clock.deadline(in: timeout)
        while try !lock.take(folder) {
            guard clock.now < deadline else { throw CatalogueError.locked(folder: folder) }
            try await clock.sleep(until: clock.deadline(in: pollPause))
        }
        return lock
    }

    private init(opening folder: String) throws(CatalogueError) {
        lock = HeldLock(open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
        guard lock.descriptor >= 0 else { throw .manifestMissing(path: "\(folder)/manifest.json") }
    }

    private func take(_ folder: String) throws(CatalogueError) -> Bool {
        if lock.take() { return true }
        let reason = errno
        guard reason == EWOULDBLOCK || reason == EINTR else { throw .notWritten(path: folder, reason: String(cString: strerror(reason))) }
        return false
    }
}
