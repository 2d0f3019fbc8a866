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
              noafw assets refresh
              noafw assets fetch frame
            """,
        subcommands: [
            AssetsListCommand.self, AssetsFetchCommand.self, AssetsAddCommand.self, AssetsCheckCommand.self, AssetsRefreshCommand.self,
        ])
}

/// `noafw assets list`
struct AssetsListCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Show what the catalogue holds and what a run would use.",
        discussion: """
            Does not read the files. Use noafw assets check for that.

            Examples:
              noafw assets list
              noafw assets list --json
            """)

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

            Example:
              noafw assets check --assets catalogue

            Exit codes: 0 all good, 65 a file is bad, 66 no catalogue, or an empty one.
            """)

    @OptionGroup var options: CatalogueOptions

    func run(in context: CommandContext) async -> Int32 { await options.report(in: context) { try $0.check($1, for: .supported) } }
}
