import ArgumentParser
import DFU
import Support

/// `noafw package create`
struct PackageCreateCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Make a package from Intel HEX or raw images.",
        discussion: """
            A file named .bin is a raw image. Any other file is Intel HEX. noafw fills gaps with 0xFF and leaves out the MBR \
            (below 0x1000) and the UICR (from 0x10000000). A SoftDevice and a bootloader become one image. The same input \
            gives the same file, except for the signatures, which are random.

            Examples:
              noafw package create --family monocle --application app.hex --application-version 12 \\
                  --key-file release.pem -o app.zip
              noafw package create --hw-version 52 --sd-req 0x0123 --application app.bin \\
                  --application-version-string 1.4.2 --app-boot-validation sha256 \\
                  --key-file release.pem -o app.zip
              noafw package create --family frame --softdevice s140.hex --bootloader bootloader.hex \\
                  --bootloader-version 3 --application app.hex --application-version 12 --sd-id 0x0123 \\
                  --key-file release.pem -o all.zip

            Exit codes: 0 made, 64 usage, 65 a bad image or key, 66 missing input, 74 I/O, \
            77 the signing key is readable by others.
            """)

    @OptionGroup(title: "Images") var images: PackageImageOptions
    @OptionGroup(title: "Target") var target: PackageTargetOptions
    @OptionGroup(title: "Signature") var signature: PackageSignatureOptions

    @Option(
        name: [.short, .long], help: ArgumentHelp("Write the package to this file, in one step; - is standard output.", valueName: "file"),
        completion: .file(extensions: ["zip"]))
    var output: ResultName

    @OptionGroup var voice: QuietOption

    @Flag(help: "Print one JSON document (schema noafw.package/1) on standard output.")
    var json = false

    func validate() throws {
        if json, output.isStandardOutput { throw ValidationError("Give -o a file: --json takes standard output for its document.") }
        guard target.hardwareVersion != nil else { throw ValidationError("Give --hw-version or --family.") }
        guard target.softDevices != nil || images.externalApp else { throw ValidationError("Give --sd-req or --family.") }
        if images.application != nil, applicationVersion == nil {
            throw ValidationError("Give --application-version or --application-version-string.")
        }
        if images.bootloader != nil, bootloaderVersion == nil { throw ValidationError("Give --bootloader-version.") }
        if images.softdevice == nil, !target.newSoftDevices.isEmpty { throw ValidationError("--sd-id needs --softdevice.") }
        if images.softdevice != nil, images.application != nil, target.newSoftDevices.isEmpty {
            throw ValidationError("A SoftDevice and an application need --sd-id: what the application will run on.")
        }
        if signature.unsigned, [images.appBootValidation, images.sdBootValidation].contains(.ecdsaP256) {
            throw ValidationError("ECDSA boot validation needs --key-file.")
        }
    }

    private var applicationVersion: UInt32? {
        images.applicationVersion?.value ?? images.applicationVersionString?.value ?? (target.debugMode ? .max : nil)
    }

    private var bootloaderVersion: UInt32? { images.bootloaderVersion?.value ?? (target.debugMode ? .max : nil) }

    func run(in context: CommandContext) async -> Int32 {
        let verb = OfflineCommand(context: context, isJSON: json, isQuiet: voice.quiet, isOutputTaken: output.isStandardOutput)
        let place = OutputPlace(context.path(output))
        return await verb.run(failure: { PackageDocument(file: output.name, error: $0) }, interrupted: place.abandon) { style in
            if output.isStandardOutput, context.output.isTerminal { throw CommandError.outputIsTerminal }
            let signing = try await signature.keyFile?.packageKey(in: context)
            let key = signing.map { (signing: $0, trusted: $0.trusted(as: signature.keyFile?.name ?? "")) }
            let bytes = try recipe(verb).archive(signedBy: key?.signing)
            // Only what was read back and verified is written.
            let report = try PackageReport(file: output.name, bytes: bytes, keys: key.map { [$0.trusted] } ?? [])
            if let fault = report.fault(mayBeUnsigned: signature.unsigned) { throw InputFile.Failure(diagnosis: fault) }
            if output.isStandardOutput { context.output.writeBytes(bytes) } else { try OutputFile.replace(place, with: bytes) }
            if signature.unsigned { verb.note("the package is not signed; the glasses' bootloaders refuse it") }
            return OfflineCommand.Result(lines: report.lines(style: style), document: PackageDocument(report, verdict: "pass"))
        }
    }

    private func recipe(_ verb: OfflineCommand) throws -> PackageRecipe {
        var recipe = PackageRecipe(
            hardwareVersion: target.hardwareVersion ?? .max,
            softDevices: target.softDevices ?? [PackageTargetOptions.anySoftDevice])
        recipe.newSoftDevices = target.newSoftDevices
        recipe.isDebug = target.debugMode
        if let path = images.application {
            let room = target.target?.imageCapacity ?? DFUPackage.imageSizeLimit
            recipe.application = .init(
                image: try image(path, limit: room, verb), version: applicationVersion ?? .max, isExternal: images.externalApp,
                bootValidation: images.appBootValidation)
        }
        if let path = images.softdevice {
            recipe.softDevice = .init(image: try image(path, verb), bootValidation: images.sdBootValidation)
        }
        if let path = images.bootloader {
            recipe.bootloader = .init(image: try image(path, verb), version: bootloaderVersion ?? .max)
        }
        return recipe
    }

    private func image(_ file: InputName, limit: Int = DFUPackage.imageSizeLimit, _ verb: OfflineCommand) throws -> [UInt8] {
        let bytes = try InputFile.read(verb.context.path(file), limit: FirmwareFile.fileSizeLimit)
        let name = file.name
        let file = try FirmwareFile(name: name, format: .init(fileName: name), bytes: bytes, limit: limit)
        if file.omittedByteCount > 0 {
            verb.note("\(name): left out \(file.omittedByteCount) bytes below 0x1000 (MBR) or from 0x10000000 on (UICR)")
        }
        return file.image
    }
}
