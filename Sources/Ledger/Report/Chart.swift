/// A drawing with its name, and a description for those who cannot see it.
struct Chart {
    static let width = 680.0

    var id: String
    var title: String
    var description: String
    var height: Double
    private(set) var marks: [String] = []

    var svg: String {
        let names = "<title id=\"\(id)-title\">\(HTML.text(title))</title><desc id=\"\(id)-desc\">\(HTML.text(description))</desc>"
        return
            "<svg id=\"\(id)\" role=\"img\" aria-labelledby=\"\(id)-title \(id)-desc\" viewBox=\"0 0 \(Self.text(Self.width)) "
                + "\(Self.text(height))\">"
            + names + marks.joined(separator: "\n") + "</svg>"
    }

    enum Anchor: String { case start, middle, end }

    mutating func text(_ content: String, _ x: Double, _ y: Double, anchor: Anchor = .start, style: String = "label") {
        add("text", ["x": x, "y": y], "\(style)\" text-anchor=\"\(anchor)", content)
    }

    mutating func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, style: String) {
        add("line", ["x1": x1, "y1": y1, "x2": x2, "y2": y2], style)
    }

    mutating func rectangle(_ x: Double, _ y: Double, _ width: Double, _ height: Double, style: String) {
        if width > 0, height > 0 { add("rect", ["x": x, "y": y, "width": width, "height": height], style) }
    }

    mutating func circle(_ x: Double, _ y: Double, _ radius: Double, style: String) {
        add("circle", ["cx": x, "cy": y, "r": radius], style)
    }

    mutating func path(_ points: [(Double, Double)], isClosed: Bool = false, style: String) {
        guard !points.isEmpty else { return }
        let places = points.map { "\(Self.text($0.0)) \(Self.text($0.1))" }.joined(separator: " L")
        marks.append("<path d=\"M\(places)\(isClosed ? " Z" : "")\" class=\"\(style)\"/>")
    }

    private mutating func add(_ name: String, _ places: KeyValuePairs<String, Double>, _ style: String, _ content: String? = nil) {
        let attributes = places.map { " \($0.key)=\"\(Self.text($0.value))\"" }.joined()
        marks.append("<\(name)\(attributes) class=\"\(style)\"" + (content.map { ">\(HTML.text($0))</\(name)>" } ?? "/>"))
    }

    private static func text(_ number: Double) -> String {
        let text = FigureText.decimal(number, 1)
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    /// The table next to the drawing shows the whole name.
    static func shortened(_ name: String, to limit: Int) -> String { name.count > limit ? String(name.prefix(limit - 1)) + "…" : name }
}
