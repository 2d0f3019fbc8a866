import ArgumentParser
import DFU
import Foundation
import Provisioning
import ScriptBundle
import Support

/// `noafw assets add`
struct AssetsAddCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Add a released firmware package or FPGA image to the catalogue.",
        discussion: """
            Checks the file as before a flash: structure, hash, hardware, signature, size. Reads the version of a package from \
            its image. Give --version for an FPGA image, which does not hold its own. Copies the file under a name of its \
            own and keeps its SHA-256.

            Examples:
              noafw assets add monocle-micropython-v23.248.0754.zip
              noafw assets add monocle-fpga.bin --version v23.230.0808
              noafw assets add own-build.zip --key own-build.pub.pem --development

            Exit codes: 0 added or there already, 65 bad data, 66 missing input, 74 I/O.
            """)

    @Argument(help: "A DFU package (zip) or an FPGA image.", completion: .file())
    var file: InputName

    @Option(help: ArgumentHelp("The version that the unit shows, if the image does not hold it.", valueName: "v"))
    var version: String?

    @Option(help: "The glasses that it is for. The default comes from the package.")
    var hardware: FamilyName?

    @Option(help: ArgumentHelp("Refuse the file unless it has this SHA-256.", valueName: "digest"))
    var sha256: String?

    @Option(
        help: ArgumentHelp("The public key (PEM) that the package is signed with, when it is not the vendor's.", valueName: "key"),
        completion: .file(extensions: ["pem"]))
    var key: InputName?

    @Flag(help: "Mark it as a development image.")
    var development = false

    @Flag(help: "Use it from now on, even if it is not the newest release.")
    var makeDefault = false

    @OptionGroup var options: CatalogueOptions

    func validate() throws {
        let isDigest = sha256.map { $0.utf8.count == 64 && $0.allSatisfy { $0.isASCII && $0.isHexDigit } } ?? true
        guard isDigest else { throw ValidationError("--sha256 is 64 hexadecimal digits.") }
    }

    func run(in context: CommandContext) async -> Int32 {
        let verb = OfflineCommand(context: context, isJSON: options.json)
        return await verb.run(failure: { Document(file: file.name, action: "failed", error: $0) }, interrupted: { .complete }) { _ in
            let catalogue = try options.catalogue(context)
            let bytes = try BundleFile.notOne(InputFile.read(context.path(file), limit: DFUPackage.fileSizeLimit), context.path(file))
            if let sha256 { try AssetCandidate.check(bytes, sha256: sha256.lowercased(), name: file.name) }
            let entry = AssetEntry(
                bytes: bytes, name: file.name, hardware: hardware?.id.rawValue,
                key: try key.map { Array(try PackageKeyFile.published(context.path($0)).pem().utf8) }, stated: version,
                isDevelopment: development, makesDefault: makeDefault)
            let added = try await entry.add(to: catalogue, verb, clock: context.clock)
            return OfflineCommand.Result(
                lines: [added.line],
                document: Document(file: file.name, action: added.isNew ? "added" : "present", path: added.path, version: added.version))
        }
    }

    private struct Document: Encodable {
        let schema = "noafw.assets.add/1"
        var file, action: String
        var path, version: String?
        var error: Diagnosis?
    }
}
