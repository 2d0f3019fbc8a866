import ArgumentParser
import ScriptBundle
import Support

/// `noafw bundle provenance`
struct BundleProvenanceCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "provenance",
        abstract: "Write how and from what a bundle was made (in-toto statement, SLSA provenance v1).",
        discussion: """
            In a job of GitHub or GitLab the source, the commit and the builder come from its environment. With --sign the statement is \
            in an envelope (DSSE) that noafw bundle verify --provenance takes.

            Examples:
              noafw bundle provenance release.zip --sign env:NOAFW_SIGNING_KEY -o release.intoto.json
              noafw bundle provenance release.zip --source git+https://example.com/app --commit 9f3c1a7 \\
                  --builder https://example.com/build-room

            Exit codes: 0 written, 64 the source is not known, 65 a damaged bundle or a bad key, 66 missing input, 74 I/O, 77 the signing \
            key is readable by others.
            """)

    @Argument(help: "The bundle.", completion: .file(extensions: ["zip"]))
    var file: InputName

    @Option(help: ArgumentHelp("Where the source is.", valueName: "uri"))
    var source: String?

    @Option(help: ArgumentHelp("Its commit, in hexadecimal digits.", valueName: "commit"))
    var commit: String?

    @Option(help: ArgumentHelp("Who runs the build.", valueName: "uri"))
    var builder: String?

    @Option(help: ArgumentHelp("The run of the build.", valueName: "uri"))
    var invocation: String?

    @Option(
        help: ArgumentHelp(
            "Sign with this Ed25519 private key (PEM): a file, - for standard input, or env:NAME for a variable.",
            valueName: SigningKeyName.form),
        completion: .file(extensions: ["pem"]))
    var sign: SigningKeyName?

    @OptionGroup var target: StatementTarget

    func validate() throws {
        for (name, uri) in [("--source", source), ("--builder", builder), ("--invocation", invocation)] {
            guard let uri else { continue }
            guard uri.contains(":"), uri.utf8.count <= 2000, uri.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                throw ValidationError("\(name) is a URI such as https://example.com/app.")
            }
        }
        if let commit, !(7...64).contains(commit.count) || !commit.allSatisfy({ $0.isHexDigit && $0.isASCII }) {
            throw ValidationError("--commit is 7 to 64 hexadecimal digits.")
        }
    }

    func run(in context: CommandContext) async -> Int32 {
        await target.write(in: context, about: file) { bundle, name in
            let key = try await sign?.bundleKey(in: context)
            let statement = Array(JSONWriter.text(ProvenanceStatement(bundle, name: name, of: try facts(in: context))).utf8)
            guard let key else { return statement + [UInt8(ascii: "\n")] }
            return Array((JSONWriter.text(try SignedStatement(statement, signedBy: key)) + "\n").utf8)
        }
    }

    /// - Throws: ``CommandError/unknownBuild(_:)``.
    private func facts(in context: CommandContext) throws(CommandError) -> BuildFacts {
        let known = BuildFacts(environment: context.environment)
        guard let source = source ?? known?.source else { throw .unknownBuild("--source") }
        guard let commit = commit ?? known?.commit else { throw .unknownBuild("--commit") }
        guard let builder = builder ?? known?.builder else { throw .unknownBuild("--builder") }
        return BuildFacts(source: source, commit: commit, builder: builder, invocation: invocation ?? known?.invocation)
    }
}
