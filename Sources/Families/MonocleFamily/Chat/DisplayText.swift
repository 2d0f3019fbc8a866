import Assistant

/// Text for a Monocle's display, in pieces: the font's characters (``ASCIIFold``), limited to what a program that draws everything in one
/// call can hold.
///
/// A display call may write 255 bytes to the FPGA: 5, and for each text object 5 and its characters (monocle-micropython v23.248.0754,
/// `modules/display.py`, `fpga.c`). Noa's program shows 7 rows of at most 26 characters and a prompt: 5 + 7 × (5 + 26) + 5 + 21 = 248
/// (noa-for-ios, `graphics.py`: `MAX_LINES`, `WIDTH // FONT_WIDTH`; the longest prompt is in `photo.py`), with one byte a character. Our
/// own scripts bound their calls themselves.
struct DisplayText {
    /// 640 pixels, 24 a character.
    static let columns = 26
    /// Replaces the omitted rest.
    private static let ellipsis = "..."
    /// Heap per word in a program that splits all its text into words, on a 32-bit MicroPython; measured with Noa's `graphics.py` on a
    /// 64-bit one and halved (62 bytes a word of 5 letters, 74 of 10, 105 of 25).
    private static let wordBytes = 48

    static func heapBytes(of text: String) -> Int {
        text.utf8.reduce(0) { $0 + 3 + ($1 == 0x20 ? wordBytes : $1 == 0x0A ? 2 * wordBytes : 0) }
    }

    struct Room {
        var bytes = Int.max
        var heap = Int.max

        func holds(_ text: String, andWord: Bool = false) -> Bool {
            bytes >= text.utf8.count && heap >= heapBytes(of: text) + (andWord ? wordBytes : 0)
        }

        /// - Returns: `false`, taking nothing, when the text and an ellipsis do not fit.
        mutating func take(_ text: String) -> Bool {
            guard holds(text + ellipsis, andWord: true) else { return false }
            bytes -= text.utf8.count
            heap -= heapBytes(of: text)
            return true
        }
    }

    private(set) var folding = TextFolding()
    private var room: Room
    private var previous: Character?
    private var gap = Gap.start
    private var wordLength = 0
    private var isFull = false

    /// White space that goes out with the next text: one space, a line end, or an empty row. Noa's program turns two spaces into two
    /// empty rows, and every space next to a line end into one more.
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

    init(room: Room) { self.room = room }

    static func whole(_ text: String, room: Room) -> (text: String, folding: TextFolding) {
        var display = DisplayText(room: room)
        return (display.take(text), display.folding)
    }

    /// - Returns: printable ASCII and line ends; white space at the end waits for more text.
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
        for glyph in folding.count(ASCIIFold.show(character, after: previous)) {
            if glyph == " " || glyph == "\n" { gap.widen(by: glyph) } else { put(glyph, into: &result) }
        }
    }

    private mutating func put(_ glyph: Character, into result: inout String) {
        if gap != .none { wordLength = 0 }
        // Noa's program truncates a word that is longer than a row.
        let blank = wordLength == Self.columns ? " " : gap.text
        if wordLength == Self.columns { wordLength = 0 }
        let next = blank + String(glyph)
        guard !isFull, room.take(next) else { return end(&result) }
        result += next
        wordLength += 1
        gap = .none
    }

    private mutating func end(_ result: inout String) {
        guard !isFull else { return }
        isFull = true
        folding.omitted += 1
        if room.holds(Self.ellipsis) { result += Self.ellipsis }
    }
}
