import DFU
import FoundationEssentials

/// An entry in a manifest; docs/assets.md describes the format.
public struct CatalogueEntry: Codable, Sendable, Hashable {
    public struct File: Codable, Sendable, Hashable {
        public var file: String
        /// Lower-case hexadecimal; empty if omitted.
        public var sha256: String

        init(file: String, sha256: String) { (self.file, self.sha256) = (file, sha256.lowercased()) }

        public init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            self.init(
                file: try values.decode(String.self, forKey: .file), sha256: try values.decodeIfPresent(String.self, forKey: .sha256) ?? "")
        }
    }

    public var version: String
    public var hardware: String
    var file: String?
    var sha256: String?
    /// Scripts only: in installation order.
    var files: [File]?
    var development: Bool?
    var key: String?

    /// Its files, whichever keys list them; empty if there are none or an entry is incomplete.
    public var listed: [File] {
        if let files { return files }
        guard let file, let sha256 else { return [] }
        return [File(file: file, sha256: sha256)]
    }

    public var isDevelopment: Bool { development ?? false }
}

struct CatalogueManifest: Sendable {
    /// Large enough for thousands of entries.
    static let limitBytes = 1 << 20

    private struct Document: Decodable {
        var entries: [CatalogueEntry]
        var `default`: [String: String]?
    }

    let path: String
    private let document: Document

    /// - Parameter requiresDigests: `false` for a folder whose manifest only declares an order.
    init(path: String, requiresDigests: Bool = true) throws(CatalogueError) {
        let bytes: [UInt8]
        do {
            bytes = try CatalogueFiles.read(path, limitBytes: Self.limitBytes)
        } catch .fileMissing {
            throw .manifestMissing(path: path)
        }
        try self.init(bytes, path: path, requiresDigests: requiresDigests)
    }

    init(_ bytes: [UInt8], path: String, requiresDigests: Bool) throws(CatalogueError) {
        do {
            document = try JSONDecoder().decode(Document.self, from: Data(bytes))
        } catch {
            throw .manifestInvalid(path: path, reason: Self.reason(error))
        }
        self.path = path
        var seen: Set<[String]> = []
        for entry in document.entries {
            try check(entry, requiresDigests)
            guard seen.insert([entry.hardware, entry.version]).inserted else {
                throw .manifestInvalid(path: path, reason: "\(entry.version) for \(entry.hardware) is listed twice")
            }
        }
    }

    var entries: [CatalogueEntry] { document.entries }

    func entries(for hardware: String) -> [CatalogueEntry] { entries.filter { $0.hardware == hardware } }

    /// The manifest's default, else the newest release, else the newest development entry.
    func choose(for hardware: String) throws(CatalogueError) -> CatalogueEntry {
        let candidates = entries(for: hardware)
        if let version = document.default?[hardware] {
            guard let entry = candidates.first(where: { $0.version == version }) else {
                throw .defaultMissing(version: version, manifest: path)
            }
            return entry
        }
        // Versions have a fixed width, so they sort by age.
        func age(_ entry: CatalogueEntry) -> (Int, String) { (entry.isDevelopment ? 0 : 1, entry.version) }
        guard let newest = candidates.max(by: { age($0) < age($1) }) else { throw .nothingFor(hardware: hardware, manifest: path) }
        return newest
    }

    private func check(_ entry: CatalogueEntry, _ requiresDigests: Bool) throws(CatalogueError) {
        func invalid(_ reason: String) -> CatalogueError { .manifestInvalid(path: path, reason: reason) }
        guard FirmwareVersion(entry.version) != nil else { throw invalid("\"\(entry.version)\" is not a version of the form vYY.DDD.HHMM") }
        guard !entry.listed.isEmpty else { throw invalid("\(entry.version) names no file with its SHA-256") }
        for listed in entry.listed {
            guard CatalogueFiles.isSafeName(listed.file) else { throw .unsafeName(listed.file, manifest: path) }
            if listed.sha256.isEmpty, !requiresDigests { continue }
            guard listed.sha256.utf8.count == 64, listed.sha256.allSatisfy({ $0.isASCII && $0.isHexDigit }) else {
                throw invalid("the sha256 of \(listed.file) is not 64 hexadecimal digits")
            }
        }
        if let key = entry.key, !CatalogueFiles.isSafeName(key) { throw .unsafeName(key, manifest: path) }
    }

    private static func reason(_ error: any Error) -> String {
        func place(_ path: [any CodingKey]) -> String {
            path.isEmpty ? "the document" : path.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }.joined(separator: ".")
        }
        switch error {
        case DecodingError.keyNotFound(let key, let context): return "\(place(context.codingPath)) lacks \"\(key.stringValue)\""
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
            return "\(place(context.codingPath)) has a value of the wrong kind"
        default: return "it is not JSON"
        }
    }
}
