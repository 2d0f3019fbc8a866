import ArgumentParser
import ESPImage
import OpenBotFamily
import Support

/// `noafw robot image`
struct RobotImageCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "image",
        abstract: "Inspect a firmware image before you write it over the serial cable.",
        discussion: """
            Reads an application image of an ESP32 and checks its structure, its checksum and its SHA-256. The image names its build, not \
            the robot's body: that is chosen when the sketch is compiled.

            Examples:
              noafw robot image openbot.ino.bin
              noafw robot image openbot.ino.bin --json

            Exit codes: 0 the image is whole and for an ESP32, 65 it is damaged or for another chip, 66 missing input.
            """)

    /// A path may be 4096 bytes long.
    private static let commandLimit = 5000

    @Argument(help: "The image: the application's .bin file.", completion: .file(extensions: ["bin"]))
    var file: InputName

    @Flag(help: "Print one JSON document on standard output (schema noafw.robot-image/1).")
    var json = false

    func run(in context: CommandContext) async -> Int32 {
        let file = file.name
        return await OfflineCommand(context: context, isJSON: json).run(failure: { RobotImageDocument(file: file, error: $0) }) { style in
            let image = try ESPImage(try InputFile.read(context.path(self.file), limit: ESPImage.limitBytes))
            var document = RobotImageDocument(file: file, image: image)
            guard image.chip == .esp32 else {
                let error = ESPImageError.wrongChip(image.chip, wanted: .esp32).diagnosis
                document.error = error
                return OfflineCommand.Result(lines: document.lines(image), document: document, error: error)
            }
            let command = UntrustedText.escape(OpenBot.writeCommand(CommandLineText.quote(self.file.name)), limit: Self.commandLimit)
            return OfflineCommand.Result(lines: document.lines(image) + ["", command], document: document)
        }
    }
}

/// The document `noafw.robot-image/1`.
struct RobotImageDocument: Encodable, Sendable {
    enum CodingKeys: String, CodingKey {
        case schema, file, bytes, chip, project, version, built, idf, digest, elfDigest = "elf_digest", error
    }

    var schema = "noafw.robot-image/1"
    var file: String
    var bytes: Int?
    var chip: String?
    var project: String?
    var version: String?
    var built: String?
    var idf: String?
    /// The SHA-256 at the image's end.
    var digest: String?
    var elfDigest: String?
    var error: Diagnosis?

    init(file: String, error: Diagnosis) { (self.file, self.error) = (file, error) }

    init(file: String, image: ESPImage) {
        let application = image.descriptor
        (self.file, bytes, chip) = (file, image.bytes.count, "\(image.chip)")
        (project, version, idf) = (application.projectName, application.version, application.idfVersion)
        (built, digest) = ("\(application.date) \(application.time)", image.digest.map(HexText.encode))
        elfDigest = HexText.encode(application.elfSHA256)
    }

    func lines(_ image: ESPImage) -> [String] {
        let rows = [
            ("chip", chip), ("project", project), ("version", version), ("built", built), ("ESP-IDF", idf),
            ("size", bytes.map { "\($0) bytes" }),
            ("segments", "\(image.segments.count)"), ("SHA-256", digest ?? "none: only one byte of checksum guards it"), ("ELF", elfDigest),
        ]
        return rows.map { name, text in "\(name.padded(to: 10))\(UntrustedText.escape(text ?? "-"))" }
    }
}
