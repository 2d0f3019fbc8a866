import Archive
import Cryptography

public struct BundleRecipe: Sendable {
    public struct Image: Sendable {
        public var version: String
        public var bytes: [UInt8]

        public init(version: String, bytes: [UInt8]) { (self.version, self.bytes) = (version, bytes) }
    }

    let scripts: ScriptSet
    private let firmware: Image?
    private let fpga: Image?
    private let tool: String

    public init(scripts: ScriptSet, firmware: Image? = nil, fpga: Image? = nil, tool: String) {
        (self.scripts, self.firmware, self.fpga, self.tool) = (scripts, firmware, fpga, tool)
    }

    /// The archive's entries. The same recipe and key give the same bytes: Ed25519 is deterministic.
    package func entries(signedBy key: BundleSigningKey?) throws(BundleError) -> [String: [UInt8]] {
        var entries: [String: [UInt8]] = [:]
        for file in scripts.installed { entries[BundleEntry.script(file.name)] = file.bytes }
        entries[BundleEntry.firmware] = firmware?.bytes
        entries[BundleEntry.fpga] = fpga?.bytes
        let manifest = manifest(of: entries).serialized()
        entries[BundleEntry.manifest] = manifest
        if let key {
            entries[BundleEntry.signature] = try key.sign(manifest)
            entries[BundleEntry.signer] = Array(key.publicKey.pem.utf8)
        }
        return entries
    }

    private func manifest(of entries: [String: [UInt8]]) -> BundleManifest {
        func file(_ name: String) -> BundleManifest.File {
            let bytes = entries[name] ?? []
            return BundleManifest.File(file: name, bytes: bytes.count, sha256: SHA256.text(of: bytes))
        }
        func image(_ image: Image?, _ name: String) -> BundleManifest.Image? {
            let file = file(name)
            return image.map { BundleManifest.Image(version: $0.version, file: name, bytes: file.bytes, sha256: file.sha256) }
        }
        return BundleManifest(
            family: scripts.family.name, tool: tool,
            scripts: BundleManifest.Scripts(
                version: scripts.version, scheme: scripts.scheme, files: scripts.files.map { file(BundleEntry.script($0.name)) }),
            firmware: image(firmware, BundleEntry.firmware), fpga: image(fpga, BundleEntry.fpga))
    }

    /// The whole bundle.
    public func archive(place: String, signedBy key: BundleSigningKey?) throws(BundleError) -> [UInt8] {
        let entries = try entries(signedBy: key)
        return try ReleaseBundle.archived(place) { () throws(ArchiveError) in try ArchiveWriter.archive(entries) }
    }
}
