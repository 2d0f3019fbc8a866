import ArgumentParser
import Provisioning
import Support

/// Which catalogue, and how to report on it.
struct CatalogueOptions: ParsableArguments, Sendable {
    @Option(help: ArgumentHelp("The folder that holds Firmware, FPGA and Scripts.", valueName: "folder"), completion: .directory)
    var assets: CatalogueName?

    @Flag(help: "Print one JSON document on standard output, and all else on standard error.")
    var json = false

    func catalogue(_ context: CommandContext) throws -> AssetCatalogue { try context.assetSearch(assets?.name).locate() }

    /// - Parameter check: what is wrong with an entry; `nil` to read no files.
    func report(in context: CommandContext, check: ((AssetCatalogue, CatalogueItem) throws -> Void)? = nil) async -> Int32 {
        await OfflineCommand(context: context, isJSON: json).run(failure: { AssetsDocument(error: $0) }) { style in
            let catalogue = try catalogue(context)
            let rows = try catalogue.items(of: .supported).map { item in
                var row = AssetsReport.Row(item: item, isChecked: check != nil)
                do { try check?(catalogue, item) } catch { row.problem = diagnose(error) }
                return row
            }
            let report = AssetsReport(root: catalogue.root, rows: rows)
            let error = check == nil ? nil : report.verdict
            let document = AssetsDocument(root: catalogue.root, entries: rows, error: error)
            return OfflineCommand.Result(lines: report.lines(style: style), document: document, error: error)
        }
    }
}
