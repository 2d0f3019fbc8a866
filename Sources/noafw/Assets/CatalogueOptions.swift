import ArgumentParser
import Provisioning

/// Which catalogue, and how to report on it.
struct CatalogueOptions: ParsableArguments, Sendable {
    @Option(help: ArgumentHelp("The folder that holds Firmware, FPGA and Scripts.", valueName: "folder"), completion: .directory)
    var assets: CatalogueName?

    @Flag(help: "Print one JSON document on standard output, and all else on standard error.")
    var json = false

    func catalogue(_ context: CommandContext) throws -> AssetCatalogue {
        try context.assetSearch(assets?.name).locate()
    }
}
