import ArgumentParser
import DFU
import Support

/// `noafw package key`
struct PackageKeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key",
        abstract: "Make and show the keys that packages are signed with.",
        discussion: """
            Examples:
              noafw package key new -o release.pem
              noafw package key show release.pem
            """,
        subcommands: [PackageKeyNewCommand.self, PackageKeyShowCommand.self])
}

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
    var format: Form?

    enum Form: String, ExpressibleByArgument, Sendable, CaseIterable { case pem, hex, code }

    func run(in context: CommandContext) async -> Int32 {
        await OfflineCommand(context: context, isJSON: false).run { _ in
            let key = try PackageKeyFile.trusted(context.path(file))
            let texts = try (format.map { [$0] } ?? Form.allCases).map { form in
                switch form {
                case .pem: try key.pem().split(separator: "\n").map(String.init)
                case .hex: [HexText.encode(key.coordinates)]
                case .code: Self.code(key.coordinates)
                }
            }
            return OfflineCommand.Result(lines: Array(texts.joined(separator: [""])))
        }
    }

    /// The symbol and the alignment are what the nRF5 SDK's `nrf_dfu_validation.c` links against.
    private static func code(_ coordinates: [UInt8]) -> [String] {
        let rows = [coordinates.prefix(32), coordinates.suffix(32)].map { half in
            "    " + half.map { "0x" + HexText.encode([$0]) }.joined(separator: ", ")
        }
        return [
            "#include <stdint.h>", "#include \"compiler_abstraction.h\"", "",
            "/* The public key that DFU packages are verified with: x and y, least significant byte first. */",
            "__ALIGN(4) const uint8_t pk[64] =", "{", rows[0] + ",", rows[1], "};",
        ]
    }
}
