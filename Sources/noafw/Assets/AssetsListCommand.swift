import ArgumentParser
import Provisioning
import Support

/// `noafw assets list`
struct AssetsListCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Show what the catalogue holds and what a run would use.",
        discussion: "Does not read the files. Use noafw assets check for that.")

    @OptionGroup var options: CatalogueOptions

    func run(in context: CommandContext) async -> Int32 {
        await OfflineCommand(context: context, isJSON: options.json).run(failure: { AssetsReport.failure($0) }) { style in
            let catalogue = try options.catalogue(context)
            let report = AssetsReport(root: catalogue.root, rows: try catalogue.items(of: .supported).map { .init(item: $0) })
            return OfflineCommand.Result(lines: report.lines(style: style), document: report.document())
        }
    }
}

/// `noafw assets check`
struct AssetsCheckCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check each file of the catalogue against its manifest.",
        discussion: """
            Checks digests, sizes, names, the versions in images, and the hash, hardware and signature of packages.

            Exit codes: 0 all good, 65 a file is bad, 66 no catalogue, or an empty one.
            """)

    @OptionGroup var options: CatalogueOptions

    func run(in context: CommandContext) async -> Int32 {
        await OfflineCommand(context: context, isJSON: options.json).run(failure: { AssetsReport.failure($0) }) { style in
            let catalogue = try options.catalogue(context)
            let rows = try catalogue.items(of: .supported).map { item in
                do {
                    try catalogue.check(item, for: .supported)
                    return AssetsReport.Row(item: item, isChecked: true)
                } catch {
                    return AssetsReport.Row(item: item, isChecked: true, problem: diagnose(error))
                }
            }
            let report = AssetsReport(root: catalogue.root, rows: rows)
            let error = report.verdict
            return OfflineCommand.Result(lines: report.lines(style: style), document: report.document(error: error), error: error)
        }
    }
}
