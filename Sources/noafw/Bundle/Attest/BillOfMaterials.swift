import ScriptBundle
import Support

/// A bundle as a bill of materials (CycloneDX 1.6, ECMA-424). The same bundle gives the same bytes.
struct BillOfMaterials: Encodable, Sendable {
    struct Hash: Encodable, Sendable {
        var alg = "SHA-256"
        var content: String
    }

    struct Property: Encodable, Sendable { var name, value: String }

    struct Component: Encodable, Sendable {
        private enum CodingKeys: String, CodingKey {
            case type, reference = "bom-ref", name, version, mimeType = "mime-type", hashes, properties
        }

        var type: String
        @Omitted var reference: String?
        var name: String
        @Omitted var version: String?
        @Omitted var mimeType: String?
        @Omitted var hashes: [Hash]?
        @Omitted var properties: [Property]?
    }

    struct Metadata: Encodable, Sendable {
        struct Tools: Encodable, Sendable { var components: [Component] }

        @Omitted var timestamp: String?
        var tools: Tools
        var component: Component
        var properties: [Property]
    }

    struct Dependency: Encodable, Sendable {
        var ref: String
        var dependsOn: [String]
    }

    private enum CodingKeys: String, CodingKey {
        case schema = "$schema", bomFormat, specVersion, serialNumber, version, metadata, components, dependencies
    }

    let schema = "http://cyclonedx.org/schema/bom-1.6.schema.json"
    let bomFormat = "CycloneDX"
    let specVersion = "1.6"
    let serialNumber: String
    let version = 1
    let metadata: Metadata
    let components: [Component]
    let dependencies: [Dependency]

    /// - Parameter timestamp: in the form of ISO 8601; `nil` for a bill that is the same on every day.
    init(_ bundle: ReleaseBundle, name: String, timestamp: String?) {
        let manifest = bundle.manifest
        serialNumber = Self.serial(bundle.sha256)
        let scripts = manifest.scripts.files.map { file in
            Component(
                type: "file", reference: file.file, name: file.file,
                mimeType: bundle.family.suffix == ".lua" ? "text/x-lua" : "text/x-python",
                hashes: [Hash(content: file.sha256)], properties: [Property(name: "noafw:bytes", value: "\(file.bytes)")])
        }
        let images = [("firmware", manifest.firmware), ("FPGA image", manifest.fpga)].compactMap { title, image in
            image.map {
                Component(
                    type: "firmware", reference: $0.file, name: "\(manifest.family) \(title)", version: $0.version,
                    hashes: [Hash(content: $0.sha256)], properties: [Property(name: "noafw:bytes", value: "\($0.bytes)")])
            }
        }
        components = images + scripts
        let whole = Component(
            type: "firmware", reference: "bundle", name: name, version: manifest.scripts.version, hashes: [Hash(content: bundle.sha256)])
        let signer = bundle.signature.map { [Property(name: "noafw:signer", value: $0.signer.fingerprint)] } ?? []
        metadata = Metadata(
            timestamp: timestamp,
            tools: .init(components: [Component(type: "application", name: "noafw", version: manifest.tool)]),
            component: whole, properties: [Property(name: "noafw:family", value: manifest.family)] + signer)
        let references = components.compactMap(\.reference)
        dependencies = [Dependency(ref: "bundle", dependsOn: references)] + references.map { Dependency(ref: $0, dependsOn: []) }
    }

    /// A UUID of its own kind (RFC 9562, version 8) out of the bundle's digest.
    private static func serial(_ sha256: String) -> String {
        var digits = Array(sha256.prefix(32))
        digits[12] = "8"
        digits[16] = "8"
        let parts = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }
        return "urn:uuid:" + parts.joined(separator: "-")
    }
}
