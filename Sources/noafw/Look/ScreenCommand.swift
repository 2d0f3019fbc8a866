import ArgumentParser
import Assistant
import Bluetooth
import Provisioning
import Support
import VirtualDevices

/// `noafw screen`
struct ScreenCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "screen",
        abstract: "Show what stands on the display of a virtual unit.",
        discussion: """
            Switches the virtual unit on, lets its program run for a while, and shows the display: as a picture in terminals that show \
            pictures (kitty, iTerm2, sixel), else its lines. -o writes a PNG of 640 by 400 pixels. The letters have our own shapes, in \
            the places of the unit's. The display of a real unit cannot be read: its firmware only writes to it.

            Examples:
              noafw screen --virtual monocle
              noafw screen --virtual frame -o screen.png
              noafw screen --virtual frame --after 10s --json
            """)

    @OptionGroup(title: "Unit") var unit: UnitOptions
    @OptionGroup var limit: TimeLimit

    @Option(
        name: [.short, .long], help: ArgumentHelp("Write the display as this PNG file.", valueName: "file"),
        completion: .file(extensions: ["png"]))
    var output: OutputName?

    @Option(help: ArgumentHelp("Let the unit run for this long first.", valueName: "time"))
    var after = SpanOfTime(seconds: 5)

    @Flag(help: "Print one JSON document on standard output (schema noafw.screen/1).")
    var json = false

    func run(in context: CommandContext) async -> Int32 {
        guard unit.virtual != nil else { return Self.refuse(CommandError.screenUnreadable.diagnosis, context) }
        return await OwnerRun(context: context, unit: unit, limit: limit, verb: "screen").run { [after, json, output] unit in
            let clock = unit.central.clock
            try await clock.sleep(until: clock.deadline(in: after.duration))
            guard let sensors = unit.sensors, let shown = sensors.screen() else { throw CommandError.screenUnreadable }
            let document = ScreenDocument(unit, shown.lines, file: output?.name)
            let image = PixelPicture(width: shown.picture.width, height: shown.picture.height, pixels: shown.picture.pixels)
            guard let png = image.flatMap(PNGFile.file) else { throw CommandError.resultNotWritten }
            if let output { try OutputFile.replace(OutputPlace(context.path(output)), with: png) }
            if json {
                context.output.writeLine(JSONWriter.text(document))
            } else if output == nil {
                await show(png, document, context)
            }
            return OwnerVerdict()
        }
    }

    private static func refuse(_ error: Diagnosis, _ context: CommandContext) -> Int32 {
        context.explain(error)
        if ErrorDocument.isWanted(context.arguments) { context.output.writeLine(ErrorDocument.text(error)) }
        return error.category.rawValue
    }

    private func show(_ png: [UInt8], _ document: ScreenDocument, _ context: CommandContext) async {
        if let graphics = await PhotoGraphics.ofTerminal(context),
            let drawing = await graphics.drawing(of: Photo(png: png), file: nil, in: context) {
            return context.output.writeLine(drawing)
        }
        for line in document.lines { context.output.writeLine(UntrustedText.escape(line.text)) }
        if document.lines.isEmpty { context.note("no text stands on the display; -o FILE writes it as a picture") }
    }
}

/// `noafw screen --json`.
struct ScreenDocument: Encodable, Sendable {
    struct Line: Encodable, Sendable {
        /// Untrusted.
        var text: String
        /// Pixels from the left and the top edge.
        var x: Int
        var y: Int
        /// `#RRGGBB` of its first part.
        var color: String
    }

    let schema = "noafw.screen/1"
    var unit: String
    var family: String
    let width = 640
    let height = 400
    /// From top to bottom.
    var lines: [Line]
    /// The picture, where one was asked for.
    var file: String?

    init(_ unit: StationUnit, _ lines: [VirtualDisplay.Line], file: String?) {
        self.init(
            unit: "\(unit.address)", family: unit.family.id.rawValue,
            lines: lines.map { line in
                let digits = String(line.color & 0xFFFFFF, radix: 16, uppercase: true)
                return Line(text: line.text, x: line.x, y: line.y, color: "#" + String(repeating: "0", count: 6 - digits.count) + digits)
            }, file: file)
    }

    init(unit: String, family: String, lines: [Line], file: String?) {
        (self.unit, self.family, self.lines, self.file) = (unit, family, lines, file)
    }
}
