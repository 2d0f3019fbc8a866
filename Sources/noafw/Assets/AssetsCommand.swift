import ArgumentParser
import Provisioning
import Support

/// `noafw assets`
struct AssetsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "assets",
        abstract: "List, extend and check the catalogue of firmware, FPGA images and scripts.",
        discussion: """
            Examples:
              noafw assets list
              noafw assets add monocle-micropython-v23.248.0754.zip
              noafw assets add monocle-fpga.bin --version v23.230.0808 --sha256 9f86d0…
              noafw assets check
              noafw assets refresh
            """,
        subcommands: [AssetsListCommand.self, AssetsAddCommand.self, AssetsCheckCommand.self, AssetsRefreshCommand.self])
}

/// Which catalogue, and how to report on it.
struct CatalogueOptions: ParsableArguments, Sendable {
    @Option(help: ArgumentHelp("The folder that holds Firmware, FPGA and Scripts.", valueName: "folder"), completion: .directory)
    var assets: CatalogueName?

    @Flag(help: "Print one JSON document on standard output, and all else on standard error.")
    var json = false

    func catalogue(_ context: CommandContext) throws -> AssetCatalogue { try context.assetSearch(assets?.name).locate() }

    /// - Parameter check: what is wrong with an entry; `nil` to read no files.
    fileprivate func report(in context: CommandContext, check: ((AssetCatalogue, CatalogueItem) throws -> Void)? = nil) async -> Int32 {
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

/// `noafw assets list`
struct AssetsListCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Show what the catalogue holds and what a run would use.",
        discussion: "Does not read the files. Use noafw assets check for that.")

    @OptionGroup var options: CatalogueOptions

    func run(in context: CommandContext) async -> Int32 { await options.report(in: context) }
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

    func run(in context: CommandContext) async -> Int32 { await options.report(in: context) { try $0.check($1, for: .supported) } }
}
