import ArgumentParser
import Cryptography
import DFU
import Provisioning

/// Selects the files of a verb.
struct InputOptions: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp("Use a release bundle: everything in it, and nothing else.", valueName: "file"),
        completion: .file(extensions: ["zip"]))
    var bundle: InputName?

    @Option(
        help: ArgumentHelp("Use this signed DFU package instead of the catalogue's.", valueName: "package"),
        completion: .file(extensions: ["zip"]))
    var firmware: InputName?

    @Option(help: ArgumentHelp("Use this FPGA image instead of the catalogue's.", valueName: "image"), completion: .file())
    var fpga: InputName?

    @Option(help: ArgumentHelp("The version of the --fpga image, such as v23.230.0808.", valueName: "v"))
    var fpgaVersion: String?

    @Flag(help: "Accept an FPGA image that is damaged or made for another FPGA.")
    var anyFpgaImage = false

    @Option(help: ArgumentHelp("Use this folder of scripts instead of the catalogue's.", valueName: "folder"), completion: .directory)
    var scripts: InputName?

    @Option(
        help: ArgumentHelp(
            "Trust this public key (PEM). A package may be signed with a P-256 key. A bundle must be signed with an Ed25519 key. "
                + "Repeat for more keys.",
            valueName: "key"),
        completion: .file(extensions: ["pem"]))
    var trust: [InputName] = []

    @Option(help: ArgumentHelp("The folder that holds Firmware, FPGA and Scripts.", valueName: "folder"), completion: .directory)
    var assets: CatalogueName?

    @Flag(help: ArgumentHelp("Accept development images on a unit that is not virtual.", visibility: .hidden))
    var development = false

    /// These exclude a bundle.
    var namesFiles: Bool { firmware != nil || fpga != nil || fpgaVersion != nil || scripts != nil || assets != nil }
    static let left = "leave --firmware, --fpga, --fpga-version, --scripts and --assets out."

    func validate() throws {
        if bundle != nil, namesFiles { throw ValidationError("--bundle names all files: \(Self.left)") }
        if fpgaVersion != nil, fpga == nil { throw ValidationError("--fpga-version describes an image: give --fpga too.") }
        if let fpgaVersion, FirmwareVersion(fpgaVersion) == nil {
            throw ValidationError("--fpga-version has the form vYY.DDD.HHMM, such as v23.230.0808.")
        }
    }

    /// For another command line.
    var arguments: [String] {
        let values = [
            ("--bundle", bundle?.name), ("--firmware", firmware?.name), ("--fpga", fpga?.name), ("--fpga-version", fpgaVersion),
            ("--scripts", scripts?.name), ("--assets", assets?.name),
        ]
        let given = values.flatMap { name, value in value.map { [name, $0] } ?? [] } + trust.flatMap { ["--trust", $0.name] }
        return given + (anyFpgaImage ? ["--any-fpga-image"] : []) + (development ? ["--development"] : [])
    }

    func value(in context: CommandContext) -> AssetInputs {
        AssetInputs(
            bundle: bundle?.name,
            files: [Component.firmware: firmware, .fpga: fpga, .scripts: scripts].compactMapValues { $0?.name },
            versions: [Component.fpga: fpgaVersion].compactMapValues(\.self), trust: trust.map(\.name),
            search: context.assetSearch(assets?.name), allowsDevelopment: development, allowsAnyFPGAImage: anyFpgaImage)
    }
}
