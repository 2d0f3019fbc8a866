import ArgumentParser
import DFU

/// `noafw package inspect`
struct PackageInspectCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Show what a package holds and who signed it.",
        discussion: """
            noafw knows the vendor's published keys. Their private halves are public too, so such a signature shows that \
            nothing was changed by accident, but not who made the package.

            Exit codes: 0 shown, 65 damaged, 66 missing input.
            """)

    @OptionGroup var options: PackageFileOptions

    func run(in context: CommandContext) async -> Int32 {
        let verb = OfflineCommand(context: context, isJSON: options.json)
        return await verb.run(failure: { PackageReport.failure(file: options.file.name, $0) }) { style in
            let report = try PackageReport.open(options, in: context)
            return OfflineCommand.Result(lines: report.lines(style: style), document: report.document(verdict: nil))
        }
    }
}

extension PackageReport {
    /// Given keys come first: a signature is attributed to the first that matches.
    static func open(
        _ options: PackageFileOptions, in context: CommandContext, trusting keys: [TrustedKey]? = nil
    ) throws -> PackageReport {
        let keys = try keys ?? options.keys(in: context) + TrustedKey.vendors
        let bytes = try InputFile.read(context.path(options.file), limit: DFUPackage.fileSizeLimit)
        return try PackageReport(file: options.file.name, bytes: bytes, keys: keys)
    }
}
