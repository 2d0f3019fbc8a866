import ArgumentParser
import DFU

/// `noafw package key new`
struct PackageKeyNewCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "new",
        abstract: "Make a private key (P-256) that only you can read.",
        discussion: """
            noafw never replaces an existing file. Keep the key secret, and keep a copy: units that trust it accept no other.

            Example:
              noafw package key new -o release.pem
            """)

    @Option(
        name: [.short, .long], help: ArgumentHelp("Write the key to this file.", valueName: "file"),
        completion: .file(extensions: ["pem"]))
    var output: NewFileName

    func run(in context: CommandContext) async -> Int32 {
        await OfflineCommand(context: context, isJSON: false).run(interrupted: { .complete }) { style in
            let key = try SigningKey.generate()
            try OutputFile.createSecret(context.path(output), Array(key.pem.utf8))
            let name = UntrustedText.escape(output.name)
            return OfflineCommand.Result(
                lines: [
                    "\(name): a new private key, readable by you alone",
                    "its public half: \(UntrustedText.escape(CommandLineText.same(["package", "key", "show", output.name])))",
                ])
        }
    }
}

/// `noafw package key show`
struct PackageKeyShowCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show the public half of a key.",
        discussion: """
            Prints the key as PEM, as hexadecimal digits and as C for the dfu_public_key.c of a bootloader. The last two have \
            the byte order of Nordic's bootloaders: x and y, each least significant byte first. noafw never prints a private \
            key.

            Examples:
              noafw package key show release.pem
              noafw package key show release.pem --format code > dfu_public_key.c
            """)

    @Argument(help: "A private or public key (PEM).", completion: .file(extensions: ["pem"]))
    var file: InputName

    @Option(help: "Print only this form.")
    var format: PackageKeyText.Form?

    func run(in context: CommandContext) async -> Int32 {
        await OfflineCommand(context: context, isJSON: false).run { _ in
            let key = try PackageKeyFile.trusted(context.path(file))
            let formats = format.map { [$0] } ?? PackageKeyText.Form.allCases
            let texts = try formats.map { try PackageKeyText.lines(key, $0) }
            return OfflineCommand.Result(lines: Array(texts.joined(separator: [""])))
        }
    }
}
