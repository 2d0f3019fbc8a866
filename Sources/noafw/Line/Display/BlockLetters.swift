/// Words that are read from across the bench.
enum BlockLetters {
    static let rows = 5

    private static let letters: [Character: [String]] = [
        "A": [" ### ", "#   #", "#####", "#   #", "#   #"],
        "F": ["#####", "#    ", "#### ", "#    ", "#    "],
        "I": ["###", " # ", " # ", " # ", "###"],
        "L": ["#    ", "#    ", "#    ", "#    ", "#####"],
        "P": ["#### ", "#   #", "#### ", "#    ", "#    "],
        "S": [" ####", "#    ", " ### ", "    #", "#### "],
        "R": ["#### ", "#   #", "#### ", "#  # ", "#   #"],
        "O": [" ### ", "#   #", "#   #", "#   #", " ### "],
        "E": ["#####", "#    ", "#### ", "#    ", "#####"],
    ]

    /// The word's rows; `nil` where it has no room.
    static func lines(_ word: String, columns: Int) -> [String]? {
        let glyphs = word.compactMap { letters[$0] }
        guard glyphs.count == word.count else { return nil }
        let lines = (0..<rows).map { row in glyphs.map { $0[row] }.joined(separator: "  ") }
        guard let width = lines.map(\.count).max(), width <= columns else { return nil }
        return lines.map { $0.padded(to: width) }
    }
}
