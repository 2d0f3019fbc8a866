import DFU
import Foundation

/// One `manifest.json`, decoded and checked; docs/assets.md describes the format.
struct CatalogueManifest: Sendable {
    /// Large enough for thousands of entries.
    static let limitBytes = 1 << 20

    struct Entry: Decodable, Sendable {
        struct File: Decodable, Sendable {
            var file: String
            /// Empty where it was left out.
            var sha256: String

            init(file: String, sha256: String) { (self.file, self.sha256) = (file, sha256) }

            private enum CodingKeys: CodingKey { case file, sha256 }

            init(from decoder: any Decoder) throws {
                let values = try decoder.container(keyedBy: CodingKeys.self)
                file = try values.decode(String.self, forKey: .file)
                sha256 = try values.decodeIfPresent(String.self, forKey: .sha256) ?? ""
            }
        }

        var version: String
        var hardware: String
        var file: String?
        var sha256: String?
        /// Scripts only: in the order in which they are installed.
        var files: [File]?
        var development: Bool?
        var key: String?

        /// The entry's files, however it names them; empty when it names none or only half of one.
        var listed: [File] {
            if let files { return files }
            guard let file, let sha256 else { return [] }
            return [File(file: file, sha256: sha256)]
        }

        var isDevelopment: Bool { development ?? false }
    }

    private struct Document: Decodable {
        var entries: [Entry]
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

    var entries: [Entry] { document.entries }

    /// The entries for one hardware in the manifest's order.
    func entries(for hardware: String) -> [Entry] { document.entries.filter { $0.hardware == hardware } }

    /// The manifest's default, else the newest release, else the newest development entry.
    func choose(for hardware: String) throws(CatalogueError) -> Entry {
        let candidates = entries(for: hardware)
        if let version = document.default?[hardware] {
            guard let entry = candidates.first(where: { $0.version == version }) else {
                throw .defaultMissing(version: version, manifest: path)
            }
            return entry
        }
        let releases = candidates.filter { !$0.isDevelopment }
        guard let newest = (releases.isEmpty ? candidates : releases).max(by: { $0.version < $1.version }) else {
            throw .nothingFor(hardware: hardware, manifest: path)
        }
        return newest
    }

    private func check(_ entry: Entry, _ requiresDigests: Bool) throws(CatalogueError) {
        func invalid(_ reason: String) -> CatalogueError { .manifestInvalid(path: path, reason: reason) }
        guard Self.isVersion(entry.version) else {
            throw invalid("\"\(entry.version)\" is not a version of the form vYY.DDD.HHMM")
        }
        guard !entry.listed.isEmpty else { throw invalid("\(entry.version) names no file with its SHA-256") }
        for listed in entry.listed {
            guard CatalogueFiles.isSafeName(listed.file) else { throw .unsafeName(listed.file, manifest: path) }
            if listed.sha256.isEmpty, !requiresDigests { continue }
            guard Self.isDigest(listed.sha256) else { throw invalid("the sha256 of \(listed.file) is not 64 hexadecimal digits") }
        }
        if let key = entry.key, !CatalogueFiles.isSafeName(key) { throw .unsafeName(key, manifest: path) }
    }

    /// `vYY.DDD.HHMM`, as both device families print it: of fixed width, so text order is age order.
    static func isVersion(_ text: String) -> Bool { FirmwareVersion(text) != nil }

    private static func isDigest(_ text: String) -> Bool {
        text.utf8.count == 64 && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0 | 0x20) }
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
