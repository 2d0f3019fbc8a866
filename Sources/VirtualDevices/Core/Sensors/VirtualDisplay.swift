import Foundation
import Support

/// What a person reads on a virtual unit's display.
public enum VirtualDisplay {
    /// One row of text from the unit's program: printable but untrusted.
    public struct Line: Sendable, Hashable {
        public fileprivate(set) var text: String
        /// 0xRRGGBB, for its first part.
        package let color: Int
        /// Pixels from the left and the top edge of the 640 × 400 display.
        package let x: Int
        package let y: Int
    }

    private static let maximumBytes = 1 << 20
    private static let maximumItems = 256
    private static let maximumCharacters = 256

    /// An item on a family's screen. The unit's file holds a list of them.
    struct Item: Codable {
        var kind: String
        var text: String?
        var x: Int?
        var y: Int?
        var color: Int?
        var thickness: Int?
        var points: [Int]?
        var width: Int?
        var bytes: Int?
        /// Left edge, from 0, and width of each glyph.
        var places: [Int]?
        /// A bitmap's pixels, their number of colours, and how far into the palette they begin.
        var data: Data?
        var colors: Int?
        var offset: Int?
        /// 0xRRGGBB of each of 16 colours.
        var palette: [Int]?
    }

    /// Empty where the file is not a display's.
    static func items(of file: URL) -> [Item] {
        guard let bytes = UnitFolder.contents(of: file, limit: maximumBytes) else { return [] }
        return (try? JSONDecoder().decode([Item].self, from: Data(bytes))) ?? []
    }

    static func show(_ items: [Item], in file: URL) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        if let document = try? encoder.encode(items) { try? UnitFolder.replace(file, with: document) }
    }

    /// A display without power is dark.
    static func clear(_ file: URL) { try? FileManager.default.removeItem(at: file) }

    /// The text on the display from top to bottom; texts at the same height form one line, from left to right. Empty when
    /// nothing is shown, or the file is not a display's.
    /// - Parameter file: ``UnitFolder/display``.
    public static func lines(of file: URL) -> [Line] {
        let texts = items(of: file).prefix(maximumItems).compactMap { item -> Line? in
            guard item.kind == "text", let text = item.text, text.contains(where: { $0 != " " }) else { return nil }
            return Line(
                text: PrintableText.of(text.unicodeScalars.prefix(maximumCharacters)), color: item.color ?? 0xFFFFFF, x: item.x ?? 0,
                y: item.y ?? 0)
        }
        let rows = Dictionary(grouping: texts, by: \.y).sorted { $0.key < $1.key }
        return rows.compactMap { _, parts in
            let parts = parts.sorted { $0.x < $1.x }
            guard var line = parts.first else { return nil }
            line.text = parts.map(\.text).joined(separator: " ")
            return line
        }
    }
}
