import ArgumentParser
import Provisioning

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
            """,
        subcommands: [AssetsListCommand.self, AssetsAddCommand.self, AssetsCheckCommand.self])
}

struct CatalogueOptions: ParsableArguments, Sendable {
    @Option(help: ArgumentHelp("The folder that holds Firmware, FPGA and Scripts.", valueName: "folder"), completion: .directory)
    var assets: String?

    @Flag(help: "Print one JSON document on standard output; everything else goes to standard error.")
    var json = false

    func catalogue(_ context: CommandContext) throws -> AssetCatalogue {
        try context.assetSearch(assets).locate()
    }
}
