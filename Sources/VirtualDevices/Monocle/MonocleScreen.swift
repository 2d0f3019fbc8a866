import Foundation

/// What a unit's FPGA shows: rows of text as they arrive over the bus, and shapes.
///
/// Colours go to 0x4502 after a two-byte address, three bytes each. Rows go to 0x4503 after a two-byte address: x and y in 12
/// bits each, the colour's number, the number of glyphs, one byte a glyph counted from the space; 0xFF ends them (display.py of
/// the firmware).
struct MonocleScreen {
    private static let shapeColors = 0x4402
    private static let textColors = 0x4502
    private static let textRows = 0x4503
    private static let shapeLimit = 256

    private var colors: [Int] = []
    private var shapes: [VirtualDisplay.Item] = []

    /// A program sends the rows of text last; they complete a picture.
    mutating func write(_ register: Int, _ bytes: [UInt8], to file: URL) {
        switch register {
        case Self.shapeColors: shapes = []
        case Self.textColors:
            colors = stride(from: 2, to: bytes.count - 2, by: 3).map { Int(bytes[$0]) << 16 | Int(bytes[$0 + 1]) << 8 | Int(bytes[$0 + 2]) }
        case Self.textRows: VirtualDisplay.show(shapes + rows(bytes.dropFirst(2)), in: file)
        default: break
        }
    }

    /// `kind color thickness x,y x,y …`, from our display.py.
    mutating func drawShape(_ text: String) {
        let words = text.split(separator: " ")
        guard words.count > 3, shapes.count < Self.shapeLimit, let color = Int(words[1]), let thickness = Int(words[2]) else { return }
        let points = words[3...].flatMap { $0.split(separator: ",").compactMap { Int($0) } }
        shapes.append(VirtualDisplay.Item(kind: String(words[0]), color: color, thickness: thickness, points: points))
    }

    /// From top to bottom.
    private func rows(_ bytes: ArraySlice<UInt8>) -> [VirtualDisplay.Item] {
        var rows: [VirtualDisplay.Item] = []
        var rest = bytes
        while rest.count >= 5, rest.prefix(2) != [0xFF, 0xFF] {
            let head = Array(rest.prefix(5))
            let glyphs = rest.dropFirst(5).prefix(Int(head[4]))
            rest = rest.dropFirst(5 + glyphs.count)
            let text = glyphs.map { $0 <= 0x5E ? Character(UnicodeScalar($0 + 0x20)) : "\u{FFFD}" }
            rows.append(
                VirtualDisplay.Item(
                    kind: "text", text: String(text), x: Int(head[0]) << 4 | Int(head[1] >> 4), y: Int(head[1] & 0x0F) << 8 | Int(head[2]),
                    color: Int(head[3]) < colors.count ? colors[Int(head[3])] : 0xFFFFFF))
        }
        return rows.sorted { ($0.y ?? 0, $0.x ?? 0) < ($1.y ?? 0, $1.x ?? 0) }
    }
}
