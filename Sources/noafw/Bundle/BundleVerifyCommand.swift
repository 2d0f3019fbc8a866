import ArgumentParser
import ScriptBundle
import Support

/// `noafw bundle verify`
struct BundleVerifyCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Verify a bundle: every file against its manifest, and the manifest against a trusted key.",
        discussion: """
            A bundle that no trusted key has signed is refused, and so is one where no key is trusted: noafw bundle show looks into it. \
            --provenance also takes the statement of noafw bundle provenance --sign: a trusted key must have signed it, and it must be \
            about this bundle.

            Examples:
              noafw bundle verify release.zip --trust release-key.pub.pem
              noafw bundle verify release.zip --trust release-key.pub.pem \\
                  --provenance release.intoto.json --quiet

            Exit codes: 0 verified, 65 not verified or damaged, 66 missing input.
            """)

    @Argument(help: "The bundle.", completion: .file(extensions: ["zip"]))
    var file: InputName

    @Option(
        help: ArgumentHelp(
            "Trust this Ed25519 public key (PEM) instead of those in the trust folder. Repeat for more keys.", valueName: "key"),
        completion: .file(extensions: ["pem"]))
    var trust: [InputName] = []

    @Option(
        help: ArgumentHelp("Also verify this signed statement of the bundle's provenance.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var provenance: InputName?

    @OptionGroup var voice: QuietOption

    @Flag(help: "Print one JSON document on standard output, and all else on standard error.")
    var json = false

    func run(in context: CommandContext) async -> Int32 {
        let verb = OfflineCommand(context: context, isJSON: json, isQuiet: voice.quiet)
        return await verb.run(failure: { BundleDocument(file: file.name, verdict: .fail, error: $0) }) { style in
            let bundle = try BundleFile.open(context.path(file))
            let keys = try TrustInputs(given: trust.map { context.path($0) }, search: context.assetSearch(nil)).bundleKeys(note: verb.note)
            guard !keys.isEmpty else { throw BundleError.noTrust(place: file.name) }
            let report = BundleReport(file: file.name, bundle: bundle, trust: try BundleTrust(bundle, keys: keys))
            let source = try provenance.map { try provedSource(context.path($0), bundle, keys) }
            var document = BundleDocument(report)
            (document.verdict, document.source) = (.pass, source)
            let origin = source.map { ["  source    \(UntrustedText.escape($0))"] } ?? []
            let verdict = "\(style.paint("PASS", .good))  every file is what the manifest says, and a trusted key signed that"
            return OfflineCommand.Result(lines: report.summary(style: style) + origin + ["", verdict], document: document)
        }
    }

    /// - Returns: where the statement says that the bundle was made from.
    private func provedSource(_ path: NamedPath, _ bundle: ReleaseBundle, _ keys: [BundleKey]) throws -> String {
        let bytes = try InputFile.read(path, limit: ProvenanceStatement.sizeLimit)
        let payload = try SignedStatement.payload(of: bytes, place: path.name, trusting: keys)
        return try ProvenanceStatement.source(in: payload, of: bundle.sha256, place: path.name)
    }
}
