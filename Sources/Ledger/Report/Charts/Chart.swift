/// A drawing with its name and what it shows in words, for those who do not see it.
struct Chart {
    static let width = 680.0

    /// Unique on its page.
    var id: String
    var title: String
    var description: String
    var height: Double
    private var marks: [String] = []

    init(id: String, title: String, description: String, height: Double) {
        (self.id, self.title, self.description, self.height) = (id, title, description, height)
    }

    var svg: String {
        let names = "<title id=\"\(id)-title\">\(HTML.text(title))</title><desc id=\"\(id)-desc\">\(HTML.text(description))</desc>"
        return "<svg id=\"\(id)\" role=\"img\" aria-labelledby=\"\(id)-title \(id)-desc\" viewBox=\"0 0 \(Self.text(Self.width)) \(Self.text(height))\">"
            + names + marks.joined(separator: "\n") + "</svg>"
    }

    enum Anchor: String { case start, middle, end }

    mutating func text(_ content: String, _ x: Double, _ y: Double, anchor: Anchor = .start, style: String = "label") {
        marks.append(
            HTML.element(
                "text", ["x": Self.text(x), "y": Self.text(y), "class": style, "text-anchor": anchor.rawValue], HTML.text(content)))
    }

    mutating func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, style: String) {
        marks.append(HTML.empty("line", ["x1": Self.text(x1), "y1": Self.text(y1), "x2": Self.text(x2), "y2": Self.text(y2), "class": style]))
    }

    mutating func rectangle(_ x: Double, _ y: Double, _ width: Double, _ height: Double, style: String) {
        guard width > 0, height > 0 else { return }
        marks.append(
            HTML.empty("rect", ["x": Self.text(x), "y": Self.text(y), "width": Self.text(width), "height": Self.text(height), "class": style]))
    }

    mutating func circle(_ x: Double, _ y: Double, _ radius: Double, style: String) {
        marks.append(HTML.empty("circle", ["cx": Self.text(x), "cy": Self.text(y), "r": Self.text(radius), "class": style]))
    }

    mutating func path(_ points: [(Double, Double)], isClosed: Bool = false, style: String) {
        guard !points.isEmpty else { return }
        let places = points.map { "\(Self.text($0.0)) \(Self.text($0.1))" }.joined(separator: " L")
        marks.append(HTML.empty("path", ["d": "M\(places)\(isClosed ? " Z" : "")", "class": style]))
    }

    /// To a tenth of a pixel.
    private static func text(_ number: Double) -> String {
        let text = FigureText.decimal(number, 1)
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    /// As much of a name as fits; the table beside the drawing has all of it.
    static func shortened(_ name: String, to limit: Int) -> String { name.count > limit ? String(name.prefix(limit - 1)) + "…" : name }
}
