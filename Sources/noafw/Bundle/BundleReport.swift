import ScriptBundle
import Support

struct BundleReport {
    var file: String
    var bundle: ReleaseBundle
    var trust: BundleTrust

    /// Without the files.
    func summary(style: TextStyle) -> [String] {
        let manifest = bundle.manifest
        let scriptBytes = manifest.scripts.files.reduce(0) { $0 + $1.bytes }
        let count = manifest.scripts.files.count == 1 ? "1 script" : "\(manifest.scripts.files.count) scripts"
        return [
            style.paint(
                "\(UntrustedText.escape(file)): bundle for the \(manifest.family), \(Format.bytes(bundle.byteCount)) bytes", .strong),
            "  scripts   \(UntrustedText.escape(manifest.scripts.version))  (\(count), \(Format.bytes(scriptBytes)) bytes)",
            "  firmware  \(Self.text(manifest.firmware))",
            "  fpga      \(Self.text(manifest.fpga))",
            "  origin    \(UntrustedText.escape(trust.text(bundle)))",
            "  tool      noafw \(UntrustedText.escape(manifest.tool))",
            "  sha256    \(bundle.sha256)",
        ]
    }

    /// With a table of the files.
    func lines(style: TextStyle) -> [String] {
        var table = TextTable([.init("file", keeping: .end), .init("bytes", .right), .init("sha256", keeping: .start)])
        let manifest = bundle.manifest
        for file in manifest.scripts.files { table.append([UntrustedText.escape(file.file), Format.bytes(file.bytes), file.sha256]) }
        for image in [manifest.firmware, manifest.fpga].compactMap(\.self) {
            table.append([UntrustedText.escape(image.file), Format.bytes(image.bytes), image.sha256])
        }
        return summary(style: style) + [""] + table.lines(style: style, tone: { _ in nil })
    }

    private static func text(_ image: BundleManifest.Image?) -> String {
        image.map { "\(UntrustedText.escape($0.version))  (\(Format.bytes($0.bytes)) bytes)" } ?? "-"
    }
}

/// A bundle's content, or why it could not be made or opened.
struct BundleDocument: Encodable, Sendable {
    struct Signature: Encodable, Sendable {
        var signer, publicKey: String, verified: Bool, trustedAs: String?

        private enum CodingKeys: String, CodingKey { case signer, publicKey = "public_key", verified, trustedAs = "trusted_as" }
    }

    let schema = "noafw.bundle.show/1"
    var file: String
    var bytes: Int?
    var sha256, family, tool: String?
    var scripts: BundleManifest.Scripts?
    var firmware, fpga: BundleManifest.Image?
    var signature: Signature?
    /// Of `bundle verify`.
    @Omitted var verdict: PassMember?
    /// What a verified statement of provenance names.
    @Omitted var source: String?
    var error: Diagnosis?
}

extension BundleDocument {
    init(_ report: BundleReport) {
        let (bundle, manifest) = (report.bundle, report.bundle.manifest)
        self.init(
            file: report.file, bytes: bundle.byteCount, sha256: bundle.sha256, family: manifest.family, tool: manifest.tool,
            scripts: manifest.scripts, firmware: manifest.firmware, fpga: manifest.fpga)
        let name: String? = if case .verified(let name) = report.trust { name } else { nil }
        signature = bundle.signature.map {
            Signature(signer: $0.signer.fingerprint, publicKey: HexText.encode($0.signer.bytes), verified: name != nil, trustedAs: name)
        }
    }
}

/// The result of comparing a folder with a bundle.
struct BundleComparison: Encodable, Sendable {
    let schema = "noafw.bundle.check/1"
    var file: String
    var folder: String
    var verdict = "fail"
    var differences: [String] = []
    /// Images in the bundle that were not given for comparison.
    var notCompared: [String] = []
    var error: Diagnosis?

    private enum CodingKeys: String, CodingKey { case schema, file, folder, verdict, differences, notCompared = "not_compared", error }

    mutating func result(style: TextStyle) -> OfflineCommand.Result {
        guard differences.isEmpty else {
            error = CommandError.bundleDiffers(folder: folder, file: file, count: differences.count).diagnosis
            return OfflineCommand.Result(lines: differences.map(UntrustedText.escape), document: self, error: error)
        }
        verdict = "pass"
        let line = "\(style.paint("PASS", .good))  \(UntrustedText.escape(folder)) is what \(UntrustedText.escape(file)) holds"
        let rest = notCompared.isEmpty ? "" : "; not compared: its \(notCompared.joined(separator: " and "))"
        return OfflineCommand.Result(lines: [line + rest], document: self)
    }
}
