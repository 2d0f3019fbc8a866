import ArgumentParser

/// `noafw bundle`
struct BundleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bundle",
        abstract: "Make, compare and show release bundles.",
        discussion: """
            A bundle holds everything that a factory flashes: scripts, and if wanted firmware package and FPGA image. The \
            same input gives the same bytes on any machine. `noafw bundle DIR` is short for `noafw bundle create DIR`.

            Examples:
              noafw bundle Scripts/monocle -o release.zip
              noafw bundle Scripts/monocle -o release.zip --firmware monocle.zip --fpga monocle.bin \\
                  --fpga-version v23.230.0808 --sign release-key.pem
              noafw bundle --check release.zip Scripts/monocle
              noafw bundle show release.zip
              noafw bundle key new -o release-key.pem
              noafw flash --virtual monocle --bundle release.zip --trust release-key.pub.pem

            All options of the first form: noafw bundle create --help
            """,
        subcommands: [BundleCreateCommand.self, BundleShowCommand.self, BundleKeyCommand.self],
        defaultSubcommand: BundleCreateCommand.self)
}
