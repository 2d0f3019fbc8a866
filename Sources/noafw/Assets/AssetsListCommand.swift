import ArgumentParser
import Provisioning

/// `noafw assets list`
struct AssetsListCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Show what the catalogue holds and what a run would use.",
        discussion: "The files themselves are not read: noafw assets check does that.")

    @OptionGroup var options: CatalogueOptions

    func run(in context: CommandContext) async -> Int32 {
        OfflineCommand(context: context, isJSON: options.json).run(failure: { AssetsReport.failure($0) }) { style in
            let catalogue = try options.catalogue(context)
            let report = AssetsReport(root: catalogue.root, rows: try catalogue.items().map { .init(item: $0) })
            return OfflineCommand.Result(lines: report.lines(style: style), document: report.document())
        }
    }
}

/// `noafw assets check`
struct AssetsCheckCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Read every file of the catalogue and hold it against its manifest.",
        discussion: """
            Digests, packages with hash, hardware and signature, versions that stand in images, sizes, names.

            Exit codes: 0 all good, 65 something is not, 66 no catalogue.
            """)

    @OptionGroup var options: CatalogueOptions

    func run(in context: CommandContext) async -> Int32 {
        OfflineCommand(context: context, isJSON: options.json).run(failure: { AssetsReport.failure($0) }) { style in
            let catalogue = try options.catalogue(context)
            let rows = try catalogue.items().map { item in
                do {
                    try catalogue.check(item)
                    return AssetsReport.Row(item: item, isChecked: true)
                } catch {
                    return AssetsReport.Row(item: item, isChecked: true, problem: CommandError.explain(error))
                }
            }
            let report = AssetsReport(root: catalogue.root, rows: rows)
            let error = report.verdict
            return OfflineCommand.Result(lines: report.lines(style: style), document: report.document(error: error), error: error)
        }
    }
}
