import ArgumentParser

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
