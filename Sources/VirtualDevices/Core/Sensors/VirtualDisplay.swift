import Foundation
import Support

/// What a person reads on a virtual unit's display.
public enum VirtualDisplay {
    /// One row of text. It comes from the unit's program: printable, but not to be trusted otherwise.
    public struct Line: Sendable, Hashable {
        public var text: String
        /// 0xRRGGBB, of its first part.
        public var color: Int
        /// Pixels from the left and the top edge of the 640 × 400 display.
        public var x: Int
        public var y: Int

        public init(text: String, color: Int, x: Int, y: Int) {
            self.text = text
            self.color = color
            self.x = x
            self.y = y
        }
    }

    private static let maximumBytes = 1 << 20
    private static let maximumItems = 256
    private static let maximumCharacters = 256

    private struct Item: Decodable {
        var kind: String
        var text: String?
        var x: Int?
        var y: Int?
        var color: Int?
    }

    /// The text on the display from top to bottom; texts on one height are one line, from left to right.
    /// Empty when nothing is shown, or the file is not a display's.
    /// - Parameter file: ``UnitFolder/display``.
    public static func lines(of file: URL) -> [Line] {
        guard let bytes = UnitFolder.contents(of: file, limit: maximumBytes),
            let items = try? JSONDecoder().decode([Item].self, from: Data(bytes))
        else { return [] }
        return lines(of: items.prefix(maximumItems))
    }

    private static func lines(of items: some Sequence<Item>) -> [Line] {
        let texts = items.compactMap { item -> Line? in
            guard item.kind == "text", let text = item.text, text.contains(where: { $0 != " " }) else { return nil }
            return Line(text: PrintableText.of(text.unicodeScalars.prefix(maximumCharacters)), color: item.color ?? 0xFFFFFF, x: item.x ?? 0, y: item.y ?? 0)
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
