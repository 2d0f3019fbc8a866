import Foundation

extension VirtualDisplay {
    /// What a person sees on the display: red, green and blue of each pixel, row by row from the top.
    public struct Picture: Sendable, Hashable {
        public let width = 640
        public let height = 400
        public internal(set) var pixels = [UInt8](repeating: 0, count: 640 * 400 * 3)
    }

    private static let paintedItems = 4096

    /// Black where nothing is shown, or the file is not a display's. Letters have our own shapes, in the places of the unit's.
    /// - Parameter file: ``UnitFolder/display``.
    public static func picture(of file: URL) -> Picture {
        var painter = DisplayPainter()
        for item in items(of: file).prefix(paintedItems) { painter.paint(item) }
        return painter.picture
    }
}

/// Paints items in their order, each over the one before.
struct DisplayPainter {
    private(set) var picture = VirtualDisplay.Picture()
    /// Of a font whose glyphs are all as wide, where an item does not say their places.
    private static let glyphWidth = 24
    private static let glyphHeight = 48
    private static let (pointLimit, glyphLimit) = (512, 1024)

    mutating func paint(_ item: VirtualDisplay.Item) {
        let color = item.color ?? 0xFFFFFF
        let flat = (item.points ?? []).prefix(Self.pointLimit)
        let points = stride(from: flat.startIndex, to: flat.endIndex - 1, by: 2).map { index in
            (x: Self.bound(flat[index]), y: Self.bound(flat[index + 1]))
        }
        switch item.kind {
        case "text": paintText(item, color)
        case "bitmap": paintBitmap(item)
        case "line", "polyline":
            for (start, end) in zip(points, points.dropFirst()) { paintLine(start, end, min(item.thickness ?? 1, 18), color) }
        case "rectangle":
            guard points.count == 2 else { return }
            fill(points[0].x...max(points[0].x, points[1].x), points[0].y...max(points[0].y, points[1].y), color)
        case "polygon": paintPolygon(points, color)
        default: break
        }
    }

    /// Far from the display all places are alike.
    private static func bound(_ value: Int) -> Int { min(max(value, -2048), 2048) }

    private mutating func set(_ x: Int, _ y: Int, _ color: Int) {
        guard (0..<picture.width).contains(x), (0..<picture.height).contains(y) else { return }
        let place = (y * picture.width + x) * 3
        picture.pixels[place] = UInt8(color >> 16 & 0xFF)
        picture.pixels[place + 1] = UInt8(color >> 8 & 0xFF)
        picture.pixels[place + 2] = UInt8(color & 0xFF)
    }

    private mutating func fill(_ columns: ClosedRange<Int>, _ rows: ClosedRange<Int>, _ color: Int) {
        for y in rows.clamped(to: 0...picture.height - 1) where rows.contains(y) {
            for x in columns.clamped(to: 0...picture.width - 1) where columns.contains(x) { set(x, y, color) }
        }
    }

    private mutating func paintText(_ item: VirtualDisplay.Item, _ color: Int) {
        let (left, top) = (Self.bound(item.x ?? 0), Self.bound(item.y ?? 0))
        let places = item.places ?? []
        for (index, character) in (item.text ?? "").prefix(Self.glyphLimit).enumerated() {
            let isPlaced = places.count >= 2 * index + 2
            let x = isPlaced ? places[2 * index] : left + index * Self.glyphWidth
            let width = isPlaced ? places[2 * index + 1] : Self.glyphWidth - 4
            paintGlyph(DisplayFont.glyph(character), x: Self.bound(x), y: top, width: min(max(width, 1), 80), color)
        }
    }

    private mutating func paintGlyph(_ glyph: [UInt8], x: Int, y: Int, width: Int, _ color: Int) {
        let margin = Self.glyphHeight / 8
        for row in 0..<Self.glyphHeight - margin {
            let bits = glyph[row * DisplayFont.rows / (Self.glyphHeight - margin)]
            for column in 0..<width where bits >> (DisplayFont.columns - 1 - column * DisplayFont.columns / width) & 1 == 1 {
                set(x + column, y + margin / 2 + row, color)
            }
        }
    }

    /// Pixels flow from row to row, the highest bits of a byte first; 0 is the first colour, whatever the offset (sprite_engine.sv).
    private mutating func paintBitmap(_ item: VirtualDisplay.Item) {
        guard let data = item.data, let palette = item.palette, palette.count == 16, let colors = item.colors, let width = item.width,
            (1...picture.width).contains(width), let depth = [2: 1, 4: 2, 16: 4][colors]
        else { return }
        let (left, top, offset) = (Self.bound((item.x ?? 1) - 1), Self.bound((item.y ?? 1) - 1), (item.offset ?? 0) & 15)
        var pixel = 0
        for byte in data {
            for shift in stride(from: 8 - depth, through: 0, by: -depth) {
                let value = Int(byte) >> shift & (colors - 1)
                set(left + pixel % width, top + pixel / width, palette[value == 0 ? 0 : (value + offset) & 15])
                pixel += 1
            }
        }
    }

    private mutating func paintLine(_ start: (x: Int, y: Int), _ end: (x: Int, y: Int), _ thickness: Int, _ color: Int) {
        let steps = max(abs(end.x - start.x), abs(end.y - start.y), 1)
        let half = max(thickness, 1) / 2
        for step in 0...steps {
            let x = start.x + (end.x - start.x) * step / steps, y = start.y + (end.y - start.y) * step / steps
            if half == 0 { set(x, y, color) } else { fill(x - half...x + half, y - half...y + half, color) }
        }
    }

    /// Row by row, between its edges.
    private mutating func paintPolygon(_ points: [(x: Int, y: Int)], _ color: Int) {
        guard points.count > 2 else { return }
        for y in 0..<picture.height {
            var crossings: [Int] = []
            for (start, end) in zip(points, points.dropFirst() + points.prefix(1)) where (start.y > y) != (end.y > y) {
                crossings.append(start.x + (y - start.y) * (end.x - start.x) / (end.y - start.y))
            }
            crossings.sort()
            for index in stride(from: 0, to: crossings.count - 1, by: 2) { fill(crossings[index]...crossings[index + 1], y...y, color) }
        }
    }
}
