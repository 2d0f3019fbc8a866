import ArgumentParser
import DFU
import Support

/// `noafw package verify`
struct PackageVerifyCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Verify a package: the sizes, hash and signature of each image.",
        discussion: """
            Without --key and --trust a package must be signed with one of the vendor's published keys, which shows that it is \
            intact, but not who made it.

            Exit codes: 0 verified, 65 not verified or damaged, 66 missing input.
            """)

    @OptionGroup var options: PackageFileOptions

    func run(in context: CommandContext) async -> Int32 {
        let verb = OfflineCommand(context: context, isJSON: options.json)
        return await verb.run(failure: { PackageReport.failure(file: options.file.name, $0) }) { style in
            let given = try options.keys(in: context)
            let report = try PackageReport.open(options, in: context, trusting: given.isEmpty ? TrustedKey.vendors : given)
            let fault = report.fault()
            let verdict = style.paint(fault == nil ? "PASS" : "FAIL", fault == nil ? .good : .bad)
            let meaning = fault == nil ? Self.meaning(of: report) : "the package is not verified"
            return OfflineCommand.Result(
                lines: report.lines(style: style) + ["", "\(verdict)  \(meaning)"],
                document: report.document(verdict: fault == nil ? .pass : .fail, error: fault), error: fault)
        }
    }

    private static func meaning(of report: PackageReport) -> String {
        let provesOrigin = report.images.allSatisfy { $0.signer?.provesOrigin == true }
        return "sizes, hash and signature are verified" + (provesOrigin ? "" : ": integrity, not origin")
    }
}
