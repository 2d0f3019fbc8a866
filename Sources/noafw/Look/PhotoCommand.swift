import ArgumentParser
import Assistant
import Bluetooth
import Foundation
import Provisioning
import Support

extension PhotoSettings.Quality: ExpressibleByArgument {}

/// `noafw photo`
struct PhotoCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "photo",
        abstract: "Take a photo with a unit's camera.",
        discussion: """
            The unit's program is interrupted, its firmware takes the photo, and the program starts again. The file is the camera's own \
            JPEG; with a name that ends in .png it is decoded (by djpeg of Debian's libjpeg-turbo-progs). In terminals that show \
            pictures (kitty, iTerm2, sixel) the photo is shown, too. --quality and --size are a Frame's, from firmware v25.008 on.

            A virtual unit photographs the file camera.jpg in its folder, else a test card.

            Examples:
              noafw photo -o photo.jpg
              noafw photo -o photo.png --nearest
              noafw photo -o photo.jpg --family frame --quality high --size 720
              noafw photo -o photo.jpg --virtual monocle

            Exit codes: 0 taken, 1 the camera gave no photo, others as in noafw flash.
            """)

    @OptionGroup(title: "Unit") var unit: UnitOptions
    @OptionGroup var limit: TimeLimit

    @Option(
        name: [.short, .long], help: ArgumentHelp("Write the photo to this file.", valueName: "file"),
        completion: .file(extensions: ["jpg", "jpeg", "png"]))
    var output: OutputName?

    @Option(help: "How well the JPEG keeps details.")
    var quality: PhotoSettings.Quality?

    @Option(
        help: ArgumentHelp(
            "Pixels on a side, \(PhotoSettings.sides.lowerBound) to \(PhotoSettings.sides.upperBound).", valueName: "pixels"))
    var size: Int?

    @Flag(help: "Print one JSON document on standard output (schema noafw.photo/1).")
    var json = false

    func validate() throws {
        guard size.map({ PhotoSettings.sides.contains($0) && $0 % 2 == 0 }) ?? true else {
            throw ValidationError("--size is an even number from \(PhotoSettings.sides.lowerBound) to \(PhotoSettings.sides.upperBound).")
        }
    }

    private var settings: PhotoSettings { PhotoSettings(quality: quality, side: size) }

    func run(in context: CommandContext) async -> Int32 {
        let graphics = json ? nil : await PhotoGraphics.ofTerminal(context)
        return await OwnerRun(context: context, unit: unit, limit: limit, verb: "photo").run { [settings, output, json] unit in
            guard output != nil || graphics != nil else { throw CommandError.photoWithoutPlace }
            if let output { try OutputFile.checkPlace(context.path(output)) }
            let visit = try UnitVisit(family: unit.family, central: unit.central, address: unit.address, notice: context.note)
            let bytes = try await visit.run { console in
                guard let camera = console as? any CameraConsole else {
                    throw CommandError.unsupported("photo", family: unit.family.id)
                }
                return try await camera.takePhoto(settings) { _ in }
            }
            let photo = try Self.photo(bytes, for: output)
            if let output { try OutputFile.replace(OutputPlace(context.path(output)), with: photo.bytes) }
            if json { context.output.writeLine(JSONWriter.text(PhotoDocument(unit, photo, file: output?.name))) }
            if let graphics, let drawing = await graphics.drawing(of: photo, file: nil, in: context) { context.output.writeLine(drawing) }
            if !json, let output {
                context.output.writeLine("\(output.name): \(photo.kind.rawValue.uppercased()), \(Format.bytes(photo.bytes.count)) bytes")
            }
            return OwnerVerdict()
        }
    }

    /// The camera's own file, unless a PNG is wanted.
    private static func photo(_ jpeg: [UInt8], for output: OutputName?) throws -> Photo {
        guard let output, output.name.lowercased().hasSuffix(".png") else { return Photo(jpeg: jpeg) }
        guard let png = PNGFile.file(try PictureInput.pixels(of: jpeg, name: "the photo")) else { throw CommandError.resultNotWritten }
        return Photo(png: png)
    }
}

/// `noafw photo --json`.
struct PhotoDocument: Encodable, Sendable {
    let schema = "noafw.photo/1"
    var unit: String
    var family: String
    /// A media type.
    var type: String
    var bytes: Int
    var file: String?

    init(_ unit: StationUnit, _ photo: Photo, file: String?) {
        self.init(
            unit: "\(unit.address)", family: unit.family.id.rawValue, type: photo.kind.mediaType, bytes: photo.bytes.count, file: file)
    }

    init(unit: String, family: String, type: String, bytes: Int, file: String?) {
        (self.unit, self.family, self.type, self.bytes, self.file) = (unit, family, type, bytes, file)
    }
}
