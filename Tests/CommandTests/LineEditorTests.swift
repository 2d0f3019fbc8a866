import TestSupport
import Testing

@testable import noafw

/// Bytes as a terminal sends them, the text and the cursor that come of them.
@Suite struct LineEditorTests {
    struct Case: Sendable {
        var name: String
        var keys: String
        /// `|` is the cursor.
        var result: String
    }

    private static let escape = "\u{1B}"
    static let up = "\u{1B}[A", down = "\u{1B}[B", right = "\u{1B}[C", left = "\u{1B}[D"

    static let cases: [Case] = [
        .init(name: "typing", keys: "hello", result: "hello|"),
        .init(name: "arrows", keys: "abc\(left)\(left)X", result: "aX|bc"),
        .init(name: "application arrows", keys: "abc\(escape)OD\(escape)ODX", result: "aX|bc"),
        .init(name: "emacs moves", keys: "abc\u{01}X\u{05}Y\u{02}\u{02}Z\u{06}W", result: "XabZcW|Y"),
        .init(name: "home and end", keys: "abc\(escape)[HX\(escape)[FY", result: "XabcY|"),
        .init(name: "home and end of other terminals", keys: "abc\(escape)[1~X\(escape)[4~Y\(escape)[7~Z\(escape)[8~", result: "ZXabcY|"),
        .init(name: "backspace", keys: "abc\u{7F}\u{08}", result: "a|"),
        .init(name: "backspace at the start", keys: "\u{7F}a", result: "a|"),
        .init(name: "delete", keys: "abc\u{01}\(escape)[3~", result: "|bc"),
        .init(name: "Ctrl-D deletes", keys: "abc\u{01}\u{04}", result: "|bc"),
        .init(name: "word moves", keys: "one two, three\(escape)b\(escape)bX", result: "one X|two, three"),
        .init(name: "word right", keys: "one two\u{01}\(escape)fX", result: "oneX| two"),
        .init(name: "Ctrl-arrows", keys: "one two three\(escape)[1;5D\(escape)[1;5D\(escape)[1;5CX", result: "one twoX| three"),
        .init(name: "kill a word left", keys: "one two\u{17}", result: "one |"),
        .init(name: "kill a word right", keys: "one two\u{01}\(escape)d", result: "| two"),
        .init(name: "Alt-backspace", keys: "one two\(escape)\u{7F}", result: "one |"),
        .init(name: "kill to the end, yank twice", keys: "one two\u{01}\u{0B}\u{19}\u{19}", result: "one twoone two|"),
        .init(name: "kill to the start", keys: "one two\(escape)b\u{15}", result: "|two"),
        .init(name: "kills in a row are one", keys: "one two three\u{17}\u{17}\u{19}", result: "one two three|"),
        .init(name: "kills apart are two", keys: "one two\u{17}x\u{17}\u{19}", result: "one x|"),
        .init(name: "transpose at the end", keys: "ab\u{14}", result: "ba|"),
        .init(name: "transpose in the middle", keys: "abc\(left)\u{14}", result: "acb|"),
        .init(name: "transpose alone", keys: "a\u{14}", result: "a|"),
        .init(name: "wide characters", keys: "\u{4F60}\u{597D}\(left)X", result: "\u{4F60}X|\u{597D}"),
        .init(name: "a combining mark is part of its letter", keys: "e\u{301}x\(left)\(left)Y", result: "Y|e\u{301}x"),
        .init(name: "backspace takes letter and mark", keys: "ae\u{301}\u{7F}", result: "a|"),
        .init(name: "a family is one character", keys: "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}\u{7F}x", result: "x|"),
        .init(name: "a mark typed before another letter", keys: "ab\(left)\u{301}", result: "a\u{301}|b"),
        .init(name: "multi-line by Ctrl-J and Alt-Enter", keys: "a\nb\(escape)\rc", result: "a\nb\nc|"),
        .init(name: "multi-line by backslash", keys: "a\\\rb", result: "a\nb|"),
        .init(name: "a backslash in the middle submits", keys: "a\\b\r", result: "|"),
        .init(name: "home within its line", keys: "one\ntwo\u{01}X", result: "one\nX|two"),
        .init(name: "up within the text keeps the column", keys: "abcd\nef\(up)X", result: "abX|cd\nef"),
        .init(name: "down within the text", keys: "ab\ncdef\(up)\u{01}\(right)\(down)X", result: "ab\ncX|def"),
        .init(name: "kill to the end at a line's end joins", keys: "a\nb\(up)\u{05}\u{0B}", result: "a|b"),
        .init(name: "paste", keys: "a\(escape)[200~b\rc\td\(escape)[201~e", result: "a" + "b\nc de|"),
        .init(name: "paste with CR LF", keys: "\(escape)[200~b\r\nc\(escape)[201~", result: "b\nc|"),
        .init(name: "a paste steers no terminal", keys: "\(escape)[200~a\(escape)[2Jb\u{07}\u{202E}c\(escape)[201~", result: "a[2Jbc|"),
        .init(name: "Ctrl-C clears", keys: "abc\u{03}d", result: "d|"),
        .init(name: "unknown sequences are nothing", keys: "a\(escape)[15~\(escape)[1;2P\(escape)OPb\(escape)zc", result: "abc|"),
        .init(name: "a broken character is dropped", keys: "a", result: "a|"),
        .init(name: "history", keys: "one\rtwo\r\(up)\(up)", result: "one|"),
        .init(name: "history and back to the draft", keys: "one\rdr\(up)\(down)", result: "dr|"),
        .init(name: "history by prefix", keys: "say a\rtell b\rsay c\rsa\(up)\(up)", result: "say a|"),
        .init(name: "history by prefix, newer", keys: "say a\rtell b\rsay c\rsa\(up)\(up)\(down)", result: "say c|"),
        .init(name: "Ctrl-P and Ctrl-N", keys: "one\rtwo\r\u{10}\u{10}\u{0E}", result: "two|"),
        .init(name: "search", keys: "one\rtwo\r\u{12}o", result: "two|"),
        .init(name: "search, older", keys: "one\rtwo\r\u{12}o\u{12}", result: "one|"),
        .init(name: "search with more words", keys: "one\rtwo\r\u{12}on", result: "one|"),
        .init(name: "search for what is not there", keys: "one\r\u{12}oz", result: "one|"),
        .init(name: "search for less", keys: "one\rtwo\r\u{12}on\u{7F}", result: "two|"),
        .init(name: "a search given up by Ctrl-G", keys: "one\rdr\u{12}o\u{07}X", result: "drX|"),
        .init(name: "a search given up by Ctrl-C", keys: "one\rdr\u{12}o\u{03}X", result: "drX|"),
        .init(name: "what is found is edited", keys: "one\r\u{12}o\u{01}X", result: "X|one"),
        .init(name: "what is found is submitted", keys: "one\r\u{12}o\r", result: "|"),
        .init(name: "editing an old line leaves the old one", keys: "one\r\(up)X\r\(up)\(up)", result: "one|"),
    ]

    @Test(arguments: cases) func keys(_ test: Case) {
        var (decoder, editor) = (KeyDecoder(), LineEditor())
        for key in decoder.decode(Array(test.keys.utf8)) { _ = editor.handle(key) }
        #expect(Self.shown(editor) == test.result, "\(test.name)")
    }

    /// Cut anywhere, the bytes mean the same.
    @Test(arguments: cases) func keysByteByByte(_ test: Case) {
        var (decoder, editor) = (KeyDecoder(), LineEditor())
        for byte in test.keys.utf8 { for key in decoder.decode([byte]) { _ = editor.handle(key) } }
        #expect(Self.shown(editor) == test.result, "\(test.name)")
    }

    private static func shown(_ editor: LineEditor) -> String {
        let index = editor.text.utf8.index(editor.text.startIndex, offsetBy: editor.cursor)
        return String(editor.text[..<index]) + "|" + String(editor.text[index...])
    }

    @Test func outcomes() {
        var editor = LineEditor()
        #expect(editor.handle(.endOfInput) == .ended)
        #expect(editor.handle(.interrupt) == .interrupted(hadText: false))
        _ = editor.handle(.text("x"))
        #expect(editor.handle(.interrupt) == .interrupted(hadText: true))
        _ = editor.handle(.text("x"))
        #expect(editor.handle(.enter) == .submitted("x"))
        #expect(editor.handle(.clearScreen) == .clearScreen)
        #expect(editor.handle(.delete) == .refused)
        #expect(editor.handle(.paste(String(repeating: "x", count: LineEditor.limit + 1))) == .refused)
        #expect(editor.text.isEmpty)
    }

    @Test func aLoneEscapeIsForgotten() {
        var decoder = KeyDecoder()
        #expect(decoder.decode([0x1B]) == [])
        decoder.settle()
        #expect(decoder.decode([UInt8(ascii: "b")]) == [.text("b")])
    }

    @Test func brokenBytesAreDropped() {
        var decoder = KeyDecoder()
        #expect(decoder.decode([0xC3, 0x28, 0xE4, 0xBD, UInt8(ascii: "a"), 0xFF, 0xC0, 0xED, 0xA0, 0x80, UInt8(ascii: "b")])
            == [.text("("), .text("a"), .text("b")])
    }

    @Test func attributesOfTheTerminal() {
        var decoder = KeyDecoder()
        #expect(decoder.decode(Array("\u{1B}[?62;4;22c".utf8)) == [.attributes([62, 4, 22])])
    }

    @Test func aPasteIsBounded() {
        var decoder = KeyDecoder()
        let keys = decoder.decode(Array("\u{1B}[200~".utf8) + [UInt8](repeating: 0x61, count: 200_000) + Array("\u{1B}[201~b".utf8))
        guard case .paste(let text)? = keys.first else {
            Issue.record("no paste")
            return
        }
        #expect(text.utf8.count == KeyDecoder.pasteLimit)
        #expect(keys.last == .text("b"))
    }

    /// Whatever comes, the cursor stands between two characters, and the text is bounded and harmless.
    @Test(arguments: UInt64(0)..<40) func anyBytes(seed: UInt64) {
        var (decoder, editor) = (KeyDecoder(), LineEditor())
        let pieces = [
            "\u{1B}[", "e\u{301}", "\u{1F468}\u{200D}", "\u{1F1E6}\u{1F1E7}", "\u{1B}[200~", "\u{1B}[201~", "\r\n", "\u{0B}", "\u{19}"
        ]
            .map { Array($0.utf8) }
        let noise = SeededNumbers.bytes(3000, seed: seed)
        for (position, byte) in noise.enumerated() {
            let bytes = byte < 40 ? pieces[Int(byte) % pieces.count] : [position % 3 == 0 ? byte & 0x1F : byte]
            for key in decoder.decode(bytes) { _ = editor.handle(key) }
            let boundaries = editor.text.indices.map { editor.text.utf8.distance(from: editor.text.startIndex, to: $0) }
            #expect(editor.cursor == editor.text.utf8.count || boundaries.contains(editor.cursor))
            #expect(editor.text.utf8.count <= LineEditor.limit)
            let layout = PromptLayout(editor.text, cursor: editor.cursor, columns: 20)
            #expect(layout.rows.count <= PromptLayout.rowLimit && layout.rows.indices.contains(layout.cursorRow))
        }
        #expect(editor.text.unicodeScalars.allSatisfy { $0 == "\n" || $0 == "\u{200D}" || UntrustedText.isHarmless($0) })
    }
}

@Suite struct PromptLayoutTests {
    private func layout(_ text: String, _ columns: Int, at cursor: Int? = nil) -> PromptLayout {
        PromptLayout(text, cursor: cursor ?? text.utf8.count, columns: columns)
    }

    @Test func rowsAndCursor() {
        #expect(layout("", 20).rows == ["> "])
        #expect(layout("", 20).cursorColumn == 2)
        let two = layout("abcdefghij", 10)
        #expect(two.rows == ["> abcdefg", "  hij"])
        #expect((two.cursorRow, two.cursorColumn) == (1, 5))
        #expect(layout("abcdefg", 10).rows == ["> abcdefg", "  "], "the cursor has no room at the margin")
        let wide = layout("\u{4F60}\u{597D}\u{4F60}\u{597D}", 10)
        #expect(wide.rows == ["> \u{4F60}\u{597D}\u{4F60}", "  \u{597D}"])
        #expect(layout("a\nb", 20, at: 1).cursorColumn == 3)
        #expect(layout("e\u{301}", 20).cursorColumn == 3)
    }

    @Test func aLongTextIsShownAroundItsCursor() {
        let text = (0..<40).map { "line \($0)" }.joined(separator: "\n")
        let end = layout(text, 40)
        #expect(end.rows.count == PromptLayout.rowLimit)
        #expect(end.rows.last == "  line 39")
        #expect(layout(text, 40, at: 0).rows.first == "> line 0")
    }

    @Test(
        arguments: [
            ("hello", 5), ("\u{4F60}\u{597D}", 4), ("e\u{301}", 1), ("\u{1F600}", 2), ("\u{2764}\u{FE0F}", 2), ("\u{1F1E9}\u{1F1EA}", 2)
        ] as [(String, Int)])
    func widths(text: String, columns: Int) {
        #expect(DisplayWidth.columns(text) == columns)
    }

    @Test func wrapping() {
        #expect(DisplayWidth.wrap("one two three", columns: 8) == ["one two", "three"])
        #expect(DisplayWidth.wrap("abcdefghij k", columns: 4) == ["abcd", "efgh", "ij k"])
        #expect(DisplayWidth.wrap("", columns: 4) == [""])
        #expect(DisplayWidth.wrap("a  b", columns: 9) == ["a  b"])
    }

    @Test func historyLinesSurviveTheirFile() {
        for line in ["plain", "two\nlines", "back\\slash", "\\n", "trailing\\"] {
            let encoded = HistoryFile.encode(line)
            #expect(!encoded.contains("\n"))
            #expect(HistoryFile.decode(encoded) == line)
        }
    }

    /// However large it has grown: its newest lines are there, and it is trimmed.
    @Test func aLargeHistoryFileKeepsItsEnd() throws {
        let folder = try TemporaryFolder()
        let file = HistoryFile(stateFolder: folder.path)
        let paste = String(repeating: "x", count: 8000)
        try folder.write((1...400).map { "\($0) \(paste)\n" }.joined(), to: "chat-history")
        let lines = file.load().lines
        #expect(lines.last == "400 \(paste)")
        #expect(lines.count == 130 && lines.first?.hasPrefix("271 ") == true)
        #expect(try folder.read("chat-history").count < HistoryFile.sizeLimit)
        file.append("new")
        #expect(file.load().lines.suffix(2) == ["400 \(paste)", "new"])
    }
}
