import Foundation

/// `bundle.json`: everything a bundle holds, by digest. Its bytes are what is signed.
public struct BundleManifest: Codable, Sendable, Hashable {
    public static let schema = "noafw.bundle/1"

    /// A file of the archive.
    public struct File: Codable, Sendable, Hashable {
        public var file: String
        public var bytes: Int
        /// Lower-case hexadecimal.
        public var sha256: String
    }

    /// A firmware package or an FPGA image.
    public struct Image: Codable, Sendable, Hashable {
        /// What the unit shows when it runs the image.
        public var version: String
        public var file: String
        public var bytes: Int
        public var sha256: String
    }

    public struct Scripts: Codable, Sendable, Hashable {
        public var version: String
        public var scheme: VersionScheme
        /// In the order in which they are hashed and installed.
        public var files: [File]
    }

    public var schema: String
    /// The short name of the family.
    public var family: String
    /// The version of the program that made the bundle.
    public var tool: String
    public var scripts: Scripts
    public var firmware: Image?
    public var fpga: Image?

    /// Sorted keys without any layout: the same text whatever Foundation makes of whitespace.
    func serialized() -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Strings and numbers alone: there is nothing in it that could not be encoded.
        return ((try? encoder.encode(self)).map { [UInt8]($0) } ?? []) + [UInt8(ascii: "\n")]
    }

    /// - Throws: ``BundleError/manifestInvalid(reason:)``.
    init(parsing bytes: [UInt8]) throws(BundleError) {
        let manifest: BundleManifest
        do {
            manifest = try JSONDecoder().decode(BundleManifest.self, from: Data(bytes))
        } catch {
            throw .manifestInvalid(reason: "it is no JSON of the form \(Self.schema)")
        }
        guard manifest.schema == Self.schema else {
            throw .manifestInvalid(reason: "its schema is not \(Self.schema)")
        }
        self = manifest
    }

    init(
        family: String, tool: String, scripts: Scripts, firmware: Image?, fpga: Image?
    ) {
        (schema, self.family, self.tool) = (Self.schema, family, tool)
        (self.scripts, self.firmware, self.fpga) = (scripts, firmware, fpga)
    }

    /// Everything but the manifest and its signature.
    var files: [File] {
        scripts.files + [firmware, fpga].compactMap { $0 }.map { File(file: $0.file, bytes: $0.bytes, sha256: $0.sha256) }
    }
}

/// The names in a bundle's archive.
enum BundleEntry {
    static let manifest = "bundle.json"
    /// 64 bytes: Ed25519 over the manifest's bytes.
    static let signature = "bundle.sig"
    /// The key that the signature was made with, PEM: for finding out who signed, never a reason to trust.
    static let signer = "bundle.pub.pem"
    static let firmware = "firmware.zip"
    static let fpga = "fpga.bin"

    static func script(_ name: String) -> String { "scripts/\(name)" }
}
