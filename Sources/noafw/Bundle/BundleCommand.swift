import ArgumentParser

struct BundleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bundle",
        abstract: "Make, verify and describe release bundles.",
        discussion: """
            A bundle holds everything that a factory flashes: scripts and, optionally, a firmware package and an FPGA image. \
            The same input gives the same bytes on every machine. `noafw bundle DIR` is short for `noafw bundle create DIR`.

            Examples:
              noafw bundle Scripts/monocle -o release.zip
              noafw bundle Scripts/monocle -o release.zip --firmware monocle.zip --fpga monocle.bin \\
                  --fpga-version v23.230.0808 --sign release-key.pem
              noafw bundle --check release.zip Scripts/monocle
              noafw bundle show release.zip
              noafw bundle verify release.zip --trust release-key.pub.pem
              noafw bundle sbom release.zip -o release.cdx.json
              noafw bundle key new -o release-key.pem
              noafw flash --virtual monocle --bundle release.zip --trust release-key.pub.pem

            List the options for making one: noafw bundle create --help
            """,
        subcommands: [
            BundleCreateCommand.self, BundleShowCommand.self, BundleVerifyCommand.self, BundleSBOMCommand.self,
            BundleProvenanceCommand.self, BundleKeyCommand.self,
        ],
        defaultSubcommand: BundleCreateCommand.self)
}
