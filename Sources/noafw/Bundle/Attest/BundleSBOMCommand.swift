import ArgumentParser
import FoundationEssentials
import ScriptBundle
import Support

/// `noafw bundle sbom`
struct BundleSBOMCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "sbom",
        abstract: "Write a bundle's bill of materials (CycloneDX 1.6, JSON).",
        discussion: """
            Lists the bundle and each file in it with its SHA-256, and the version of each image. The same bundle gives the same bytes; \
            where SOURCE_DATE_EPOCH is set, that is the time in it.

            Examples:
              noafw bundle sbom release.zip -o release.cdx.json
              noafw bundle sbom release.zip --name "Frame app 1.4" > release.cdx.json

            Exit codes: 0 written, 65 a damaged bundle, 66 missing input, 74 I/O.
            """)

    @Argument(help: "The bundle.", completion: .file(extensions: ["zip"]))
    var file: InputName

    @Option(help: ArgumentHelp("The product's name. The default is the file's name.", valueName: "name"))
    var name: String?

    @OptionGroup var target: StatementTarget

    func run(in context: CommandContext) async -> Int32 {
        await target.write(in: context, about: file) { bundle, fileName in
            let time = context.environment["SOURCE_DATE_EPOCH"].flatMap { Int64($0) }.map {
                Date(timeIntervalSince1970: TimeInterval($0)).ISO8601Format()
            }
            return Array((JSONWriter.text(BillOfMaterials(bundle, name: name ?? fileName, timestamp: time)) + "\n").utf8)
        }
    }
}

/// Where what is said of a bundle goes.
struct StatementTarget: ParsableArguments, Sendable {
    @Option(
        name: [.short, .long], help: ArgumentHelp("Write it to this file. The default is standard output.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var output = ResultName(name: "-")

    @OptionGroup var voice: QuietOption

    /// - Parameter statement: of the opened bundle and the file's own name, without folders.
    func write(
        in context: CommandContext, about file: InputName, _ statement: @escaping (ReleaseBundle, String) async throws -> [UInt8]
    ) async -> Int32 {
        let verb = OfflineCommand(context: context, isJSON: false, isQuiet: voice.quiet, isOutputTaken: output.isStandardOutput)
        let place = OutputPlace(context.path(output))
        let isPiped = output.isStandardOutput
        return await verb.run(interrupted: { isPiped ? .unchanged : place.abandon() }) { _ in
            let path = context.path(file)
            let bytes = try await statement(BundleFile.open(path), URL(fileURLWithPath: path.location).lastPathComponent)
            guard !isPiped else {
                context.output.write(String(decoding: bytes, as: UTF8.self))
                return OfflineCommand.Result(lines: [])
            }
            try OutputFile.replace(place, with: bytes)
            return OfflineCommand.Result(lines: ["\(UntrustedText.escape(output.name)): \(Format.bytes(bytes.count)) bytes"])
        }
    }
}
