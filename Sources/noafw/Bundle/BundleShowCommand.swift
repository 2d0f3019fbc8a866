import ArgumentParser
import Cryptography
import ScriptBundle

struct BundleShowCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Check each file of a bundle against its manifest. Show what it holds and who signed it.",
        discussion: """
            Examples:
              noafw bundle show release.zip
              noafw bundle show release.zip --trust release-key.pub.pem --json

            Exit codes: 0 shown, 65 damaged or not signed with a trusted key, 66 missing input.
            """)

    @Argument(help: "The bundle.", completion: .file(extensions: ["zip"]))
    var file: InputName

    @Option(
        help: ArgumentHelp(
            "Trust this Ed25519 public key (PEM) instead of those in the trust folder. Repeat for more keys.",
            valueName: "key"),
        completion: .file(extensions: ["pem"]))
    var trust: [InputName] = []

    @Flag(help: "Print one JSON document on standard output, and all else on standard error.")
    var json = false

    func run(in context: CommandContext) async -> Int32 {
        let verb = OfflineCommand(context: context, isJSON: json)
        return await verb.run(failure: { BundleDocument(file: file.name, error: $0) }) { style in
            let bundle = try BundleFile.open(context.path(file))
            let keys = try TrustInputs(given: trust.map { context.path($0) }, search: context.assetSearch(nil)).bundleKeys(note: verb.note)
            let report = BundleReport(file: file.name, bundle: bundle, trust: try BundleTrust(bundle, keys: keys))
            return OfflineCommand.Result(lines: report.lines(style: style), document: BundleDocument(report))
        }
    }
}
