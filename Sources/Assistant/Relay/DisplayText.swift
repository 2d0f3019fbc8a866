/// Text on its way to a Monocle's display, in pieces cut between characters: what the font shows (``ASCIIFold``), within what a
/// program holds that draws all it has in one call.
///
/// What a display call may write to the FPGA is 5 bytes, 5 for each text object and its characters, 255 in all
/// (monocle-micropython v23.248.0754, `modules/display.py`, `fpga.c`). Noa's program shows 7 rows of at most 26 characters and a
/// prompt: 5 + 7 × (5 + 26) + 5 + 21 = 248 (noa-for-ios, `graphics.py`: `MAX_LINES`, `WIDTH // FONT_WIDTH`; the longest prompt is
/// in `photo.py`). That holds for one byte a character, whatever the words; our own scripts bound their calls themselves.
struct DisplayText {
    /// 640 pixels, 24 a character.
    static let columns = 26
    /// What stands where the rest is left out.
    private static let ellipsis = "..."

    private(set) var folding = TextFolding()
    /// Bytes that may still go out.
    private var room: Int
    private var previous: Character?
    private var gap = Gap.start
    private var wordLength = 0
    private var isFull = false

    /// White space that goes out with what follows it: one space, a line end, or an empty row. Noa's program makes two empty
    /// rows of two spaces, and of every space that stands beside a line end one more.
    private enum Gap: Int {
        case start, none, space, line, paragraph

        var text: String {
            switch self {
            case .start, .none: ""
            case .space: " "
            case .line: "\n"
            case .paragraph: "\n\n"
            }
        }

        mutating func widen(by blank: Character) {
            switch (self, blank) {
            case (.start, _), (.paragraph, _): break
            case (.line, "\n"): self = .paragraph
            case (.none, "\n"), (.space, "\n"): self = .line
            case (.none, _): self = .space
            default: break
            }
        }
    }

    /// - Parameter room: bytes that may go out at most.
    init(room: Int) { self.room = room }

    /// The whole of a text.
    static func whole(_ text: String, room: Int) -> (text: String, folding: TextFolding) {
        var display = DisplayText(room: room)
        return (display.take(text), display.folding)
    }

    /// - Returns: what goes out now, printable ASCII and line ends; white space at its end waits for what follows.
    mutating func take(_ piece: String) -> String {
        var result = ""
        for character in piece {
            take(character, into: &result)
            previous = character
        }
        return result
    }

    private mutating func take(_ character: Character, into result: inout String) {
        if isFull {
            if !character.isWhitespace { folding.omitted += 1 }
            return
        }
        let shown: String
        switch ASCIIFold.show(character, after: previous) {
        case .asIs(let text): shown = text
        case .similar(let text):
            shown = text
            folding.similar += 1
        case .unknown:
            shown = "?"
            folding.unknown += 1
        }
        for glyph in shown {
            if glyph == " " || glyph == "\n" { gap.widen(by: glyph) } else { put(glyph, into: &result) }
        }
    }

    private mutating func put(_ glyph: Character, into result: inout String) {
        if gap != .none { wordLength = 0 }
        // Noa's program cuts off what a row cannot hold of one word.
        let blank = wordLength == Self.columns ? " " : gap.text
        if wordLength == Self.columns { wordLength = 0 }
        guard !isFull, blank.utf8.count + 1 + Self.ellipsis.utf8.count <= room else { return end(&result) }
        result += blank
        result.append(glyph)
        room -= blank.utf8.count + 1
        wordLength += 1
        gap = .none
    }

    private mutating func end(_ result: inout String) {
        guard !isFull else { return }
        isFull = true
        folding.omitted += 1
        if Self.ellipsis.utf8.count <= room { result += Self.ellipsis }
        room = 0
    }
}
