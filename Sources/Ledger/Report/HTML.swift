/// Elements of HTML. Texts from a unit or a person go through ``text(_:)``.
enum HTML {
    /// Escaped for content and quoted attributes.
    static func text(_ text: String) -> String { XMLText.attribute(text) }

    /// - Parameters:
    ///   - texts: titles of the first columns; a `Day` stays on one line.
    ///   - rows: the first cell of each is its heading.
    static func table(_ caption: String, _ texts: [String], numbers: [String], _ rows: [[String]]) -> String {
        let titles = texts + numbers
        func cell(_ index: Int, _ name: String, _ content: String) -> String {
            let style = index >= texts.count ? " class=\"n\"" : titles[index] == "Day" ? " class=\"day\"" : ""
            return "<\(name)\(style)>\(text(content))</\(name.prefix(2))>"
        }
        let head = titles.enumerated().map { cell($0, "th scope=\"col\"", $1) }.joined()
        let body = rows.map { row in
            "<tr>" + row.prefix(titles.count).enumerated().map { cell($0, $0 == 0 ? "th scope=\"row\"" : "td", $1) }.joined() + "</tr>"
        }
        // A scrolling region must be reachable by keyboard.
        return
            "<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
                + "aria-label=\"\(text(caption))\"><table><caption>\(text(caption))</caption>"
            + "<thead><tr>\(head)</tr></thead><tbody>\(body.joined(separator: "\n"))</tbody></table></div>"
    }
}
