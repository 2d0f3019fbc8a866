import ArgumentParser
import Bluetooth
import Cryptography
import Provisioning
import ScriptBundle
import Support

/// `noafw bundle create`
struct BundleCreateCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Make a bundle of a folder of scripts, or compare the two.",
        discussion: """
            The scripts' order is that of a manifest.json in the folder; without one it is the phone app's for the Monocle, \
            and by name with the main script last otherwise. Every script is compiled by mpy-cross or luac5.4 first.

            Examples:
              noafw bundle Scripts/monocle -o release.zip
              noafw bundle my-scripts -o release.zip --firmware monocle.zip --fpga monocle.bin --fpga-version v23.230.0808
              noafw bundle my-scripts -o release.zip --sign release-key.pem
              noafw bundle --check release.zip my-scripts

            Exit codes: 0 made, or the folder matches, 1 the folder no longer matches, 64 usage, 65 bad data, \
            66 missing input, 74 I/O, 77 the signing key is readable by others.
            """)

    @Argument(help: "The folder of scripts.", completion: .directory)
    var folder: String

    @Option(
        name: [.short, .long], help: ArgumentHelp("The bundle to write.", valueName: "file"),
        completion: .file(extensions: ["zip"]))
    var output: String?

    @Option(
        help: ArgumentHelp("Write nothing; fail when this bundle does not hold what is in the folder.", valueName: "bundle"),
        completion: .file(extensions: ["zip"]))
    var check: String?

    @Option(help: "The glasses the scripts are for; by default as the manifest or main.py and main.lua tell.")
    var family: ScriptFamily?

    @Option(help: "The version's form: app, as the phone app computes it, or sha256, a plain digest.")
    var versionScheme: VersionScheme = .app

    @Option(help: ArgumentHelp("A signed DFU package to go with the scripts.", valueName: "package"), completion: .file(extensions: ["zip"]))
    var firmware: String?

    @Option(help: ArgumentHelp("An FPGA image to go with the scripts.", valueName: "image"), completion: .file())
    var fpga: String?

    @Option(help: ArgumentHelp("The version that the image of --fpga shows, such as v23.230.0808.", valueName: "v"))
    var fpgaVersion: String?

    @Flag(help: "Take an FPGA image that is no bitstream for the Monocle's FPGA, or a damaged one.")
    var anyFpgaImage = false

    @Option(
        help: ArgumentHelp("Sign with this Ed25519 private key (PEM).", valueName: "key"), completion: .file(extensions: ["pem"]))
    var sign: String?

    @Option(
        help: ArgumentHelp(
            "A public key (PEM): P-256, for the firmware package beside the vendor's; Ed25519, that --check wants instead of those in the trust folder. May be repeated.",
            valueName: "key"),
        completion: .file(extensions: ["pem"]))
    var trust: [String] = []

    @Flag(help: "Do not compile the scripts.")
    var noCheck = false

    @Flag(help: "Print one JSON document on standard output; everything else goes to standard error.")
    var json = false

    func validate() throws {
        guard (output == nil) != (check == nil) else { throw ValidationError("Give -o FILE to make a bundle, or --check FILE to compare one.") }
        if fpgaVersion != nil, fpga == nil { throw ValidationError("--fpga-version describes an image: give --fpga too.") }
        if fpga != nil, fpgaVersion == nil { throw ValidationError("--fpga wants --fpga-version: an image does not tell its own.") }
        if let fpgaVersion, !BundleParts.isVersion(fpgaVersion) {
            throw ValidationError("--fpga-version has the form vYY.DDD.HHMM, such as v23.230.0808.")
        }
        if check != nil, sign != nil { throw ValidationError("--sign makes a signature: give -o, not --check.") }
    }

    func run(in context: CommandContext) async -> Int32 {
        let verb = OfflineCommand(context: context, isJSON: json)
        if let check { return compare(with: check, verb) }
        let file = output ?? ""
        let place = OutputPlace(file)
        return verb.run(failure: { BundleReport.failure(file: file, $0) }, interrupted: place.abandon) { style in
            try OutputGuard.check(file, inputs: [firmware, fpga, sign] + trust, folder: folder)
            try write(place, verb)
            // What was written is read back and checked: its digest is that of the file.
            let bundle = try BundleFile.open(file)
            let report = BundleReport(file: file, bundle: bundle, trust: .notAsked)
            return OfflineCommand.Result(lines: report.summary(style: style), document: report.document)
        }
    }

    private func write(_ place: OutputPlace, _ verb: OfflineCommand) throws {
        let key = try sign.map(BundleKeyFile.signing)
        let source = BundleSource(folder: folder, family: family, scheme: versionScheme)
        let scripts = try source.scripts(note: verb.note)
        if !noCheck {
            let tool = SyntaxTool(scripts.family)
            let path = try CheckerSearch(environment: verb.context.environment, executable: verb.context.executable).find(tool)
            try SyntaxChecker(tool, path: path).check(scripts.files)
        }
        let parts = BundleParts(family: scripts.family, trust: TrustInputs(given: trust))
        let recipe = BundleRecipe(
            scripts: scripts, firmware: try firmware.map(parts.firmware),
            fpga: try fpga.map { try parts.fpga($0, version: fpgaVersion ?? "", isChecked: !anyFpgaImage) }, tool: Noafw.version)
        try OutputFile.replace(place) { try recipe.write(to: $0, place: place.path, signedBy: key) }
    }

    private func compare(with file: String, _ verb: OfflineCommand) -> Int32 {
        let failure: @Sendable (Diagnosis) -> JSONText = { BundleComparisonReport(file: file, folder: folder, differences: []).document(verdict: "fail", error: $0) }
        return verb.run(failure: failure) { style in
            let bundle = try BundleFile.open(file)
            let keys = try TrustInputs(given: trust).bundleKeys(environment: verb.context.environment, note: verb.note)
            if !keys.isEmpty { try bundle.verify(trusting: keys) }
            if let family, family != bundle.manifest.family {
                throw BundleError.wrongFamily(place: file, bundle: bundle.manifest.family, wanted: family.rawValue)
            }
            let source = BundleSource(folder: folder, family: bundle.manifest.family, scheme: bundle.manifest.scripts.scheme)
            var differences = try bundle.scripts().differences(in: source.scripts(note: verb.note))
            differences += try imageDifferences(bundle)
            let report = BundleComparisonReport(
                file: file, folder: folder, differences: differences, notCompared: imagesNotGiven(bundle.manifest))
            return report.result(style: style)
        }
    }

    private func imagesNotGiven(_ manifest: BundleManifest) -> [String] {
        (manifest.firmware != nil && firmware == nil ? ["firmware"] : []) + (manifest.fpga != nil && fpga == nil ? ["FPGA image"] : [])
    }

    /// Images are compared when they are given: the folder alone says nothing of them.
    private func imageDifferences(_ bundle: ReleaseBundle) throws -> [BundleDifference] {
        var found: [BundleDifference] = []
        let limit = BundleParts.imageLimit
        if let firmware, try bundle.firmware() != InputFile.read(firmware, limit: limit) { found.append(.image("firmware")) }
        if let fpga {
            let isSame = try bundle.fpga() == InputFile.read(fpga, limit: limit) && bundle.manifest.fpga?.version == fpgaVersion
            if !isSame { found.append(.image("FPGA image")) }
        }
        return found
    }
}

extension ScriptFamily: ExpressibleByArgument {}
extension VersionScheme: ExpressibleByArgument {}
