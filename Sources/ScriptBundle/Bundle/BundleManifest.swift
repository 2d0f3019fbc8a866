import FoundationEssentials

/// `bundle.json`: lists everything in a bundle by digest. Its bytes are what is signed.
public struct BundleManifest: Codable, Sendable, Hashable {
    public static let schema = "noafw.bundle/1"

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

        var listing: File { File(file: file, bytes: bytes, sha256: sha256) }
    }

    public struct Scripts: Codable, Sendable, Hashable {
        public var version: String
        public var scheme: VersionScheme
        /// In hashing and installation order.
        public var files: [File]
    }

    private(set) var schema = Self.schema
    public var family: String
    public var tool: String
    public var scripts: Scripts
    public var firmware: Image?
    public var fpga: Image?

    /// Everything but the manifest and its signature.
    var files: [File] { scripts.files + [firmware, fpga].compactMap { $0?.listing } }

    /// Sorted keys, no whitespace: the same text with every version of Foundation.
    func serialized() -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Strings and numbers always encode.
        return ((try? encoder.encode(self)).map { [UInt8]($0) } ?? []) + [UInt8(ascii: "\n")]
    }
}

extension BundleManifest {
    init(parsing bytes: [UInt8]) throws(BundleError) {
        guard let manifest = try? JSONDecoder().decode(BundleManifest.self, from: Data(bytes)) else {
            throw .manifestInvalid(reason: "it is not JSON of the form \(Self.schema)")
        }
        guard manifest.schema == Self.schema else { throw .manifestInvalid(reason: "its schema is not \(Self.schema)") }
        self = manifest
    }
}

enum BundleEntry {
    static let manifest = "bundle.json"
    /// 64 bytes: Ed25519 over the manifest's bytes.
    static let signature = "bundle.sig"
    /// The signer's public key (PEM): shows who signed, and is never a reason to trust.
    static let signer = "bundle.pub.pem"
    static let firmware = "firmware.zip"
    static let fpga = "fpga.bin"

    static func script(_ name: String) -> String { "scripts/\(name)" }
}
