import ArgumentParser
import Cryptography
import ScriptBundle

struct BundleKeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key",
        abstract: "Make and show the keys that bundles are signed with.",
        discussion: """
            Examples:
              noafw bundle key new -o release-key.pem
              noafw bundle key show release-key.pem > release-key.pub.pem
            """,
        subcommands: [BundleKeyNewCommand.self, BundleKeyShowCommand.self])
}

struct BundleKeyNewCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "new",
        abstract: "Make a private key (Ed25519) that only you can read.",
        discussion: """
            noafw never replaces an existing file.

            Example:
              noafw bundle key new -o release-key.pem
            """)

    @Option(
        name: [.short, .long], help: ArgumentHelp("Write the key to this file.", valueName: "file"),
        completion: .file(extensions: ["pem"]))
    var output: NewFileName

    func run(in context: CommandContext) async -> Int32 {
        await OfflineCommand(context: context, isJSON: false).run(interrupted: { .complete }) { _ in
            try OutputFile.createSecret(context.path(output), try BundleSigningKey.generate())
            let name = UntrustedText.escape(output.name)
            return OfflineCommand.Result(
                lines: ["\(name): a new private key, readable by you alone", "its public half: noafw bundle key show FILE"])
        }
    }
}

struct BundleKeyShowCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Print the public half of a key as PEM.",
        discussion: """
            Example:
              noafw bundle key show release-key.pem > release-key.pub.pem
            """)

    @Argument(help: "A private or public key (PEM).", completion: .file(extensions: ["pem"]))
    var file: InputName

    func run(in context: CommandContext) async -> Int32 {
        await OfflineCommand(context: context, isJSON: false).run { _ in
            let key = try BundleKeyFile.published(context.path(file))
            OfflineCommand(context: context, isJSON: false).note("fingerprint \(key.fingerprint)")
            return OfflineCommand.Result(lines: key.pem.split(separator: "\n").map(String.init))
        }
    }
}
