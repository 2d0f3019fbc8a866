/// Elements of HTML and SVG as text. What comes from a unit or a person goes through ``text(_:)`` or ``attributes(_:)``.
enum HTML {
    /// Escaped, for content and for attributes in quotes.
    static func text(_ text: String) -> String { XMLText.attribute(text) }

    static func element(_ name: String, _ attributes: KeyValuePairs<String, String> = [:], _ content: String = "") -> String {
        "<\(name)\(self.attributes(attributes))>\(content)</\(name)>"
    }

    /// One that has no content.
    static func empty(_ name: String, _ attributes: KeyValuePairs<String, String>) -> String { "<\(name)\(self.attributes(attributes))/>" }

    static func attributes(_ attributes: KeyValuePairs<String, String>) -> String {
        attributes.map { " \($0.key)=\"\(text($0.value))\"" }.joined()
    }

    struct Column {
        var title: String
        var isNumber = true
        /// Stays on one line.
        var isDay = false
    }

    /// - Parameter rows: the first cell of each is its heading.
    static func table(_ caption: String, _ columns: [Column], _ rows: [[String]]) -> String {
        let style = { (column: Int) -> KeyValuePairs<String, String> in columns[column].isNumber ? ["class": "n"] : columns[column].isDay ? ["class": "day"] : [:] }
        let head = columns.indices.map { "<th scope=\"col\"\(attributes(style($0)))>\(text(columns[$0].title))</th>" }.joined()
        let body = rows.map { row in
            let cells = row.prefix(columns.count).enumerated().map { index, cell in
                index == 0 ? "<th scope=\"row\"\(attributes(style(index)))>\(text(cell))</th>" : "<td\(attributes(style(index)))>\(text(cell))</td>"
            }
            return "<tr>\(cells.joined())</tr>"
        }
        // A region that scrolls has to be reached by keyboard.
        return "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"\(text(caption))\"><table><caption>\(text(caption))</caption>"
            + "<thead><tr>\(head)</tr></thead><tbody>\(body.joined(separator: "\n"))</tbody></table></div>"
    }
}
