import ArgumentParser
import DFU
import Provisioning

/// `noafw package`
struct PackageCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "package",
        abstract: "Make, show and verify DFU packages; make and show their keys.",
        discussion: """
            Use it instead of Nordic's `nrfutil pkg` and `nrfutil keys`. Each tool reads the packages and keys of the other.

            Examples:
              noafw package key new -o release.pem
              noafw package create --family monocle --application app.hex --application-version 12 \\
                  --key-file release.pem -o app.zip
              noafw package inspect app.zip
              noafw package verify app.zip --key release.pem
            """,
        subcommands: [
            PackageCreateCommand.self, PackageInspectCommand.self, PackageVerifyCommand.self, PackageKeyCommand.self,
        ])
}

/// `noafw package inspect`
struct PackageInspectCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Show what a package holds and who signed it.",
        discussion: """
            noafw knows the vendor's published keys. Their private halves are public too, so such a signature shows that \
            nothing was changed by accident, but not who made the package.

            Example:
              noafw package inspect frame-firmware-v25.080.0838.zip

            Exit codes: 0 shown, 65 damaged, 66 missing input.
            """)

    @OptionGroup var options: PackageFileOptions

    func run(in context: CommandContext) async -> Int32 {
        await options.run(in: context) { given, style in
            // A signature is attributed to the first key that matches.
            let report = try options.report(given + FamilyList.supported.vendorKeys, in: context)
            return OfflineCommand.Result(lines: report.lines(style: style), document: PackageDocument(report, verdict: nil))
        }
    }
}

/// `noafw package verify`
struct PackageVerifyCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Verify a package: the sizes, hash and signature of each image.",
        discussion: """
            Without --key and --trust a package must be signed with one of the vendor's published keys, which shows that it is \
            intact, but not who made it.

            Examples:
              noafw package verify frame-firmware-v25.080.0838.zip
              noafw package verify app.zip --trust release.pub.pem

            Exit codes: 0 verified, 65 not verified or damaged, 66 missing input.
            """)

    @OptionGroup var options: PackageFileOptions

    func run(in context: CommandContext) async -> Int32 {
        await options.run(in: context) { given, style in
            let report = try options.report(given.isEmpty ? FamilyList.supported.vendorKeys : given, in: context)
            let fault = report.fault()
            let verdict = fault == nil ? style.paint("PASS", .good) : style.paint("FAIL", .bad)
            let origin = report.images.allSatisfy { $0.signer?.provesOrigin == true } ? "" : ": integrity, not origin"
            let meaning = fault == nil ? "sizes, hash and signature are verified" + origin : "the package is not verified"
            return OfflineCommand.Result(
                lines: report.lines(style: style) + ["", "\(verdict)  \(meaning)"],
                document: PackageDocument(report, verdict: fault == nil ? "pass" : "fail", error: fault), error: fault)
        }
    }
}

extension PackageFileOptions {
    fileprivate func run(
        in context: CommandContext, _ body: @Sendable ([TrustedKey], TextStyle) throws -> OfflineCommand.Result
    ) async -> Int32 {
        let file = file.name
        let verb = OfflineCommand(context: context, isJSON: json, isQuiet: voice.quiet)
        return await verb.run(failure: { PackageDocument(file: file, error: $0) }) { style in
            let given =
                try key.map { try PackageKeyFile.trusted(context.path($0)) } + trust.map { try PackageKeyFile.published(context.path($0)) }
            return try body(given, style)
        }
    }

    fileprivate func report(_ keys: [TrustedKey], in context: CommandContext) throws -> PackageReport {
        let path = context.path(file)
        let bytes = try BundleFile.notOne(InputFile.read(path, limit: DFUPackage.fileSizeLimit), path)
        return try PackageReport(file: file.name, bytes: bytes, keys: keys)
    }
}
