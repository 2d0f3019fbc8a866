import ArgumentParser
import Bluetooth
import Cryptography
import DFU
import Provisioning
import ScriptBundle
import Support

struct BundleCreateCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Make a bundle from a folder of scripts, or compare the two.",
        discussion: """
            A manifest.json in the folder sets the order of the scripts. Without one, the Monocle's scripts have the phone \
            app's order, and others are sorted by name, with the main script last. mpy-cross or luac5.4 compiles each script first.

            Examples:
              noafw bundle Scripts/monocle -o release.zip
              noafw bundle my-scripts -o release.zip --firmware monocle.zip --fpga monocle.bin \\
                  --fpga-version v23.230.0808
              noafw bundle my-scripts -o release.zip --sign release-key.pem
              noafw bundle --check release.zip my-scripts

            Exit codes: 0 made, or the folder matches, 1 the folder differs, 64 usage, 65 bad data, \
            66 missing input, 74 I/O, 77 the signing key is readable by others.
            """)

    @Argument(help: "The folder of scripts.", completion: .directory)
    var folder: InputName

    @Option(
        name: [.short, .long], help: ArgumentHelp("Write the bundle to this file; - is standard output.", valueName: "file"),
        completion: .file(extensions: ["zip"]))
    var output: ResultName?

    @Option(
        help: ArgumentHelp("Compare this bundle with the folder. Write nothing.", valueName: "bundle"),
        completion: .file(extensions: ["zip"]))
    var check: InputName?

    @Option(help: "The glasses that the scripts are for. The default comes from the manifest, main.py or main.lua.")
    var family: FamilyName?

    @Option(help: "The form of the version: app, as the phone app computes it, or sha256, a plain digest.")
    var versionScheme: VersionScheme = .app

    @Option(help: ArgumentHelp("Add this signed DFU package.", valueName: "package"), completion: .file(extensions: ["zip"]))
    var firmware: InputName?

    @Option(help: ArgumentHelp("Add this FPGA image.", valueName: "image"), completion: .file())
    var fpga: InputName?

    @Option(help: ArgumentHelp("The version of the --fpga image, such as v23.230.0808.", valueName: "v"))
    var fpgaVersion: String?

    @Flag(help: "Accept an FPGA image that is damaged or made for another FPGA.")
    var anyFpgaImage = false

    @Option(
        help: ArgumentHelp(
            "Sign with this Ed25519 private key (PEM): a file, - for standard input, or env:NAME for a variable.",
            valueName: SigningKeyName.form),
        completion: .file(extensions: ["pem"]))
    var sign: SigningKeyName?

    @Option(
        help: ArgumentHelp(
            "Trust this public key (PEM). A firmware package may be signed with a P-256 key or the vendor's. --check takes an Ed25519 "
                + "key instead of those in the trust folder. Repeat for more keys.",
            valueName: "key"),
        completion: .file(extensions: ["pem"]))
    var trust: [InputName] = []

    @Flag(help: "Do not compile the scripts.")
    var noCheck = false

    @OptionGroup var voice: QuietOption

    @Flag(help: "Print one JSON document on standard output, and all else on standard error.")
    var json = false

    func validate() throws {
        if json, output?.isStandardOutput == true {
            throw ValidationError("Give -o a file: --json takes standard output for its document.")
        }
        guard (output == nil) != (check == nil) else {
            throw ValidationError("Give -o FILE to make a bundle, or --check FILE to compare one.")
        }
        if fpgaVersion != nil, fpga == nil { throw ValidationError("--fpga-version describes an image: give --fpga too.") }
        if fpga != nil, fpgaVersion == nil { throw ValidationError("--fpga needs --fpga-version: an image does not contain its version.") }
        if let fpgaVersion, FirmwareVersion(fpgaVersion) == nil {
            throw ValidationError("--fpga-version has the form vYY.DDD.HHMM, such as v23.230.0808.")
        }
        if check != nil, sign != nil { throw ValidationError("--sign makes a signature: give -o, not --check.") }
    }

    func run(in context: CommandContext) async -> Int32 {
        let output = output ?? ResultName(name: "")
        let verb = OfflineCommand(context: context, isJSON: json, isQuiet: voice.quiet, isOutputTaken: output.isStandardOutput)
        if let check { return await compare(with: check.name, verb) }
        let file = output.name
        let place = OutputPlace(context.path(output))
        return await verb.run(failure: { BundleDocument(file: file, error: $0) }, interrupted: place.abandon) { style in
            if output.isStandardOutput, context.output.isTerminal { throw CommandError.outputIsTerminal }
            let key = try await sign?.bundleKey(in: context)
            let recipe = try recipe(verb)
            let bytes = try recipe.archive(place: file, signedBy: key)
            let bundle: ReleaseBundle
            if output.isStandardOutput {
                bundle = try ReleaseBundle(bytes, place: file, families: FamilyList.supported.scripts)
                context.output.writeBytes(bytes)
            } else {
                try OutputFile.replace(place, with: bytes)
                bundle = try BundleFile.open(place.path)
            }
            let report = BundleReport(file: file, bundle: bundle, trust: .notAsked)
            return OfflineCommand.Result(lines: report.summary(style: style), document: BundleDocument(report))
        }
    }

    private func recipe(_ verb: OfflineCommand) throws -> BundleRecipe {
        let context = verb.context
        let source = BundleSource(folder: context.path(folder), family: family?.family?.provisioning?.scripts, scheme: versionScheme)
        let scripts = try source.scripts(note: verb.note)
        if !noCheck {
            let tool = scripts.family.syntax
            let path = try CheckerSearch(search: context.assetSearch(nil)).find(tool)
            try SyntaxChecker(tool, path: path).check(scripts.files)
        }
        guard let family = FamilyList.supported[FamilyID(scripts.family.name)] else {
            throw CatalogueError.hardwareUnknown(scripts.family.name)
        }
        let parts = BundleParts(family: family, trust: trustInputs(context))
        return BundleRecipe(
            scripts: scripts, firmware: try firmware.map { try parts.image(.firmware, context.path($0)) },
            fpga: try fpga.map { try parts.image(.fpga, context.path($0), version: fpgaVersion ?? "", isUnchecked: anyFpgaImage) },
            tool: ToolVersion.current)
    }

    private func compare(with file: String, _ verb: OfflineCommand) async -> Int32 {
        await verb.run(failure: { BundleComparison(file: file, folder: folder.name, error: $0) }) { style in
            let context = verb.context
            let bundle = try BundleFile.open(context.path(file))
            let keys = try trustInputs(context).bundleKeys(note: verb.note)
            if !keys.isEmpty { try bundle.verify(trusting: keys) }
            if let family, family.id.rawValue != bundle.family.name {
                throw BundleError.wrongFamily(place: file, bundle: bundle.family.name, wanted: family.id.rawValue)
            }
            let source = BundleSource(folder: context.path(folder), family: bundle.family, scheme: bundle.manifest.scripts.scheme)
            let differences = try bundle.scripts().differences(in: source.scripts(note: verb.note)) + imageDifferences(bundle, context)
            let manifest = bundle.manifest
            var comparison = BundleComparison(file: file, folder: folder.name, differences: differences.map(\.description))
            if manifest.firmware != nil, firmware == nil { comparison.notCompared.append("firmware") }
            if manifest.fpga != nil, fpga == nil { comparison.notCompared.append("FPGA image") }
            return comparison.result(style: style)
        }
    }

    private func trustInputs(_ context: CommandContext) -> TrustInputs {
        TrustInputs(given: trust.map { context.path($0) }, search: context.assetSearch(nil))
    }

    /// Images can only be compared if they were given.
    private func imageDifferences(_ bundle: ReleaseBundle, _ context: CommandContext) throws -> [BundleDifference] {
        var found: [BundleDifference] = []
        let limit = BundleParts.imageLimit
        if let firmware, try bundle.image(of: "firmware")?.bytes != InputFile.read(context.path(firmware), limit: limit) {
            found.append(.image("firmware"))
        }
        if let fpga {
            let isSame =
                try bundle.image(of: "fpga")?.bytes == InputFile.read(context.path(fpga), limit: limit)
                && bundle.manifest.fpga?.version == fpgaVersion
            if !isSame { found.append(.image("FPGA image")) }
        }
        return found
    }
}

extension VersionScheme: ExpressibleByArgument {}
