/// Colours for a terminal, or none.
struct TextStyle: Sendable {
    enum Tone: String { case good = "32", bad = "31", careful = "33", strong = "1" }

    var isColoured: Bool
    /// Whether the terminal has signs beyond ASCII.
    var hasSymbols = true

    func paint(_ text: String, _ tone: Tone) -> String {
        isColoured ? "\u{1B}[\(tone.rawValue)m\(text)\u{1B}[0m" : text
    }
}
