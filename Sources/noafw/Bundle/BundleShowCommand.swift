import ArgumentParser
import Cryptography
import ScriptBundle

/// `noafw bundle show`
struct BundleShowCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show what a bundle holds and who signed it; every file is held against the manifest.",
        discussion: """
            Examples:
              noafw bundle show release.zip
              noafw bundle show release.zip --trust release-key.pub.pem --json

            Exit codes: 0 shown, 65 no intact bundle or not signed with a trusted key, 66 missing input.
            """)

    @Argument(help: "The bundle.", completion: .file(extensions: ["zip"]))
    var file: String

    @Option(
        help: ArgumentHelp(
            "An Ed25519 public key (PEM) that the bundle has to be signed with; may be repeated. Without it the keys in the trust folder.",
            valueName: "key"),
        completion: .file(extensions: ["pem"]))
    var trust: [String] = []

    @Flag(help: "Print one JSON document on standard output; everything else goes to standard error.")
    var json = false

    func run(in context: CommandContext) async -> Int32 {
        let verb = OfflineCommand(context: context, isJSON: json)
        return verb.run(failure: { BundleReport.failure(file: file, $0) }) { style in
            let bundle = try BundleFile.open(file)
            let keys = try TrustInputs(given: trust).bundleKeys(environment: context.environment, note: verb.note)
            let report = BundleReport(file: file, bundle: bundle, trust: try BundleTrust(bundle, keys: keys))
            return OfflineCommand.Result(lines: report.lines(style: style), document: report.document)
        }
    }
}
