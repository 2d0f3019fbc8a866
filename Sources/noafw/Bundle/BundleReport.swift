import Bluetooth
import REPL
import ScriptBundle
import Support

/// A bundle as text and as JSON.
struct BundleReport {
    static let schema = "noafw.bundle.show/1"

    var file: String
    var bundle: ReleaseBundle
    var trust: BundleTrust

    /// Everything but the files.
    func summary(style: TextStyle) -> [String] {
        let manifest = bundle.manifest
        let scriptBytes = manifest.scripts.files.reduce(0) { $0 + $1.bytes }
        let count = manifest.scripts.files.count == 1 ? "1 script" : "\(manifest.scripts.files.count) scripts"
        return [
            style.paint("\(UntrustedText.escape(file)): bundle for the \(manifest.family), \(Format.bytes(bundle.byteCount)) bytes", .strong),
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
        for file in bundle.manifest.scripts.files {
            table.append([UntrustedText.escape(file.file), Format.bytes(file.bytes), file.sha256])
        }
        for image in [bundle.manifest.firmware, bundle.manifest.fpga].compactMap({ $0 }) {
            table.append([UntrustedText.escape(image.file), Format.bytes(image.bytes), image.sha256])
        }
        return summary(style: style) + [""] + table.lines(style: style, tone: { _ in nil })
    }

    private static func text(_ image: BundleManifest.Image?) -> String {
        image.map { "\(UntrustedText.escape($0.version))  (\(Format.bytes($0.bytes)) bytes)" } ?? "-"
    }

    var document: JSONText {
        let manifest = bundle.manifest
        return .object([
            ("schema", .string(Self.schema)), ("file", .string(file)), ("bytes", .integer(bundle.byteCount)),
            ("sha256", .string(bundle.sha256)), ("family", .string(manifest.family)), ("tool", .string(manifest.tool)),
            ("scripts", .object([
                ("version", .string(manifest.scripts.version)), ("scheme", .string(manifest.scripts.scheme.rawValue)),
                ("files", .array(manifest.scripts.files.map(Self.document))),
            ])),
            ("firmware", manifest.firmware.map(Self.document) ?? .null),
            ("fpga", manifest.fpga.map(Self.document) ?? .null),
            ("signature", signatureDocument),
            ("error", .null),
        ])
    }

    private var signatureDocument: JSONText {
        guard let signer = bundle.signature?.signer else { return .null }
        var trustedAs: String?
        if case .verified(let name) = trust { trustedAs = name }
        return .object([
            ("signer", .string(signer.fingerprint)), ("public_key", .string(HexText.encode(signer.bytes))),
            ("verified", .bool(trustedAs != nil)), ("trusted_as", .optional(trustedAs)),
        ])
    }

    private static func document(_ file: BundleManifest.File) -> JSONText {
        .object([("file", .string(file.file)), ("bytes", .integer(file.bytes)), ("sha256", .string(file.sha256))])
    }

    private static func document(_ image: BundleManifest.Image) -> JSONText {
        .object([
            ("version", .string(image.version)), ("file", .string(image.file)), ("bytes", .integer(image.bytes)),
            ("sha256", .string(image.sha256)),
        ])
    }

    /// Of a bundle that could not be made or opened.
    static func failure(file: String, _ error: Diagnosis) -> JSONText {
        let empty = ["bytes", "sha256", "family", "tool", "scripts", "firmware", "fpga", "signature"]
        return .object(
            [("schema", .string(schema)), ("file", .string(file))] + empty.map { ($0, .null) }
                + [("error", ReportText.document(error))])
    }
}

/// What comparing a folder with a bundle gave.
struct BundleComparisonReport {
    static let schema = "noafw.bundle.check/1"

    var file: String
    var folder: String
    var differences: [BundleDifference]
    /// Images of the bundle that nothing was given to compare with.
    var notCompared: [String] = []

    func result(style: TextStyle) -> OfflineCommand.Result {
        guard !differences.isEmpty else {
            let line = "\(style.paint("PASS", .good))  \(UntrustedText.escape(folder)) is what \(UntrustedText.escape(file)) holds"
            let rest = notCompared.isEmpty ? "" : "; not compared: its \(notCompared.joined(separator: " and "))"
            return OfflineCommand.Result(lines: [line + rest], document: document(verdict: "pass", error: nil))
        }
        let error = CommandError.bundleDiffers(folder: folder, file: file, count: differences.count).diagnosis
        return OfflineCommand.Result(
            lines: differences.map { UntrustedText.escape($0.description) }, document: document(verdict: "fail", error: error),
            error: error)
    }

    func document(verdict: String, error: Diagnosis?) -> JSONText {
        .object([
            ("schema", .string(Self.schema)), ("file", .string(file)), ("folder", .string(folder)), ("verdict", .string(verdict)),
            ("differences", .array(differences.map { .string($0.description) })),
            ("not_compared", .array(notCompared.map { .string($0) })),
            ("error", error.map(ReportText.document) ?? .null),
        ])
    }
}
