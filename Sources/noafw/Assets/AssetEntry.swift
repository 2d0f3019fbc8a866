import Provisioning
import Support

/// A file on its way into the catalogue.
struct AssetEntry {
    struct Addition {
        var line: String
        var path: String
        var version: String
        var isNew: Bool
    }

    var bytes: [UInt8]
    var name: String
    /// `nil` where the package tells.
    var hardware: String?
    /// PEM.
    var key: [UInt8]?
    /// The version that an operator or a maker states.
    var stated: String?
    var isDevelopment = false
    var makesDefault = false

    /// Checks the file as before a flash, and lists it.
    /// - Throws: what is wrong with it, ``CatalogueError``, `CancellationError`.
    func add(to catalogue: AssetCatalogue, _ verb: OfflineCommand, clock: SessionClock) async throws -> Addition {
        let candidate = try AssetCandidate(image: bytes, name: name, hardware: hardware, key: key, families: .supported)
        let version = try candidate.version(stated: stated)
        let isMarked = try candidate.check().isDevelopment
        if let doubt = candidate.doubt { verb.note(doubt) }
        if isMarked, !isDevelopment { verb.note("the image is one of noafw's development images; it is listed as one") }
        let outcome = try await catalogue.add(
            candidate, version: version, isDevelopment: isDevelopment || isMarked, makesDefault: makesDefault, clock: clock)
        let what = "\(candidate.component) \(version) for the \(candidate.hardware)"
        let line = outcome.isNew ? "added \(what) as" : "\(what) is there already:"
        return Addition(line: "\(line) \(UntrustedText.escape(outcome.path))", path: outcome.path, version: version, isNew: outcome.isNew)
    }
}
