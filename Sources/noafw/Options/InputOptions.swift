import ArgumentParser
import Cryptography
import DFU

/// Which files a verb works with.
struct InputOptions: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp("Use a release bundle: all that it holds, and nothing else.", valueName: "file"),
        completion: .file(extensions: ["zip"]))
    var bundle: String?

    @Option(help: ArgumentHelp("Use this signed DFU package instead of the catalogue's.", valueName: "package"), completion: .file(extensions: ["zip"]))
    var firmware: String?

    @Option(help: ArgumentHelp("Use this FPGA image instead of the catalogue's.", valueName: "image"), completion: .file())
    var fpga: String?

    @Option(help: ArgumentHelp("The version of the image of --fpga, such as v23.230.0808.", valueName: "v"))
    var fpgaVersion: String?

    @Flag(help: "Accept an FPGA image that is damaged or made for another FPGA.")
    var anyFpgaImage = false

    @Option(help: ArgumentHelp("Use this folder of scripts instead of the catalogue's.", valueName: "folder"), completion: .directory)
    var scripts: String?

    @Option(
        help: ArgumentHelp(
            "Trust this public key (PEM). A package may be signed with a P-256 key. A bundle must be signed with an Ed25519 key. Repeat for more keys.",
            valueName: "key"),
        completion: .file(extensions: ["pem"]))
    var trust: [String] = []

    @Option(help: ArgumentHelp("The folder that holds Firmware, FPGA and Scripts.", valueName: "folder"), completion: .directory)
    var assets: String?

    @Flag(help: ArgumentHelp("Accept development images on a unit that is not virtual.", visibility: .hidden))
    var development = false

    func validate() throws {
        let others = [firmware, fpga, fpgaVersion, scripts, assets]
        if bundle != nil, others.contains(where: { $0 != nil }) {
            throw ValidationError("--bundle names all files: leave --firmware, --fpga, --fpga-version, --scripts and --assets out.")
        }
        if fpgaVersion != nil, fpga == nil { throw ValidationError("--fpga-version describes an image: give --fpga too.") }
        if let fpgaVersion, FirmwareVersion(fpgaVersion) == nil {
            throw ValidationError("--fpga-version has the form vYY.DDD.HHMM, such as v23.230.0808.")
        }
    }

    /// The same on another command line.
    var arguments: [String] {
        let values = [
            ("--bundle", bundle), ("--firmware", firmware), ("--fpga", fpga), ("--fpga-version", fpgaVersion), ("--scripts", scripts), ("--assets", assets),
        ]
        let given = values.flatMap { name, value in value.map { [name, $0] } ?? [] } + trust.flatMap { ["--trust", $0] }
        return given + (anyFpgaImage ? ["--any-fpga-image"] : []) + (development ? ["--development"] : [])
    }

    func value(in context: CommandContext) -> AssetInputs {
        AssetInputs(
            bundle: bundle, firmware: firmware, fpga: fpga, fpgaVersion: fpgaVersion, scripts: scripts, trust: trust,
            search: context.assetSearch(assets), allowsDevelopment: development, allowsAnyFPGAImage: anyFpgaImage)
    }
}
