import Support

@testable import noafw

extension FuzzTarget {
    /// Keys, and the line that they edit. The first byte is the terminal's width.
    static let terminalKeys = FuzzTarget("terminal-keys", seeds: { Samples.keys }) { input in
        let typed = Array(input.dropFirst())
        var (whole, byByte) = (KeyDecoder(), KeyDecoder())
        let keys = whole.decode(typed)
        try BrokenPromise.check(keys == typed.flatMap { byByte.decode([$0]) }, "where the input is cut changes what it says")
        var editor = LineEditor(history: InputHistory(lines: ["one", "two words", "three\nlines \u{1F469}\u{200D}\u{1F680}"]), limit: 300)
        for key in keys {
            if case .submitted(let line) = editor.handle(key) { try checkText(line, limit: 300) }
            try checkText(of: editor, limit: 300)
        }
        try check(PromptLayout(editor.text, cursor: editor.cursor, columns: Int(input.first ?? 0)), columns: Int(input.first ?? 0))
    }

    /// What a line editor shows can neither steer a terminal nor reorder a line.
    static func checkText(of editor: LineEditor, limit: Int) throws {
        let text = editor.text
        try checkText(text, limit: limit)
        try BrokenPromise.check((0...text.utf8.count).contains(editor.cursor), "the cursor is outside the line")
        let place = text.utf8.index(text.startIndex, offsetBy: editor.cursor)
        try BrokenPromise.check(String.Index(place, within: text) != nil, "the cursor is in a character")
    }

    private static func checkText(_ text: String, limit: Int) throws {
        try BrokenPromise.check(text.utf8.count <= limit, "a line of \(text.utf8.count) bytes")
        let isHarmless = text.unicodeScalars.allSatisfy { $0 == "\n" || $0 == "\u{200D}" || UntrustedText.isHarmless($0) }
        try BrokenPromise.check(isHarmless, "a line that steers the terminal")
    }

    private static func check(_ layout: PromptLayout, columns: Int) throws {
        try BrokenPromise.check((1...PromptLayout.rowLimit).contains(layout.rows.count), "\(layout.rows.count) rows")
        try BrokenPromise.check(layout.rows.indices.contains(layout.cursorRow), "the cursor is outside the rows")
        let width = max(8, columns - 1)
        let isNarrow = layout.rows.allSatisfy { DisplayWidth.columns($0) <= width } && layout.cursorColumn <= width
        try BrokenPromise.check(isNarrow, "a row that does not fit")
    }

    /// A person at a unit's prompt, and what the unit prints: a piece with its upper bit is the unit's.
    static let unitPrompt = FuzzTarget("unit-prompt", seeds: { [Samples.promptPieces] }) { input in
        for language in [PromptLanguage.python, .lua] {
            var play = PromptPlay(language)
            for (isPrinted, bytes) in Samples.pieces(of: input) { try play.take(bytes, isPrinted: isPrinted) }
        }
    }

    /// A scanner, or a person, before the next unit of a line.
    static let serialNumbers = FuzzTarget("serial-numbers", seeds: { [Samples.scans] }) { input in
        var (whole, byByte) = (ScannerInput(), ScannerInput())
        let lines = whole.feed(input)
        try BrokenPromise.check(lines == input.flatMap { byByte.feed([$0]) }, "where the input is cut changes what it says")
        var prompt = SerialPrompt(pattern: try? TextPattern("^[A-Z0-9 -]{1,40}$|é"))
        for line in lines {
            guard case .accepted(let serial) = prompt.take(line) else { continue }
            let length = serial.unicodeScalars.count
            try BrokenPromise.check((1...SerialRefusal.limit).contains(length), "a number of \(length) characters")
            try BrokenPromise.check(serial.unicodeScalars.allSatisfy(UntrustedText.isHarmless), "a number that steers the terminal")
            prompt.begin()
            prompt.end(passed: serial.utf8.count.isMultiple(of: 2))
        }
    }
}

/// Runs what is typed on a unit that answers at the next piece.
private struct PromptPlay {
    private var machine: PromptMachine
    private var now = SessionClock.Instant(offset: .zero)
    private var isRunning = false
    private var completion: NameCompletion?

    init(_ language: PromptLanguage) {
        machine = PromptMachine(language, history: InputHistory(lines: ["print(1)", "for a in b:\n    c\n"]), columns: 40)
        _ = machine.begin()
    }

    mutating func take(_ bytes: [UInt8], isPrinted: Bool) throws {
        now = now.advanced(by: .seconds(1))
        if let completion {
            self.completion = nil
            try check(machine.complete(completion, completion.names(in: bytes)))
        } else if isRunning, isPrinted, bytes.count.isMultiple(of: 3) {
            isRunning = false
            try check(machine.end(machine.language == .lua && bytes.isEmpty ? .incomplete : .over(output: bytes, error: "it\u{1B}[2J")))
        } else {
            try check(isPrinted ? machine.show(bytes) : machine.receive(bytes, now: now))
        }
        if bytes.count == 1 { try check(machine.rest() + machine.fit(columns: Int(bytes[0]))) }
    }

    private mutating func check(_ effects: [PromptMachine.Effect]) throws {
        for effect in effects {
            switch effect {
            case .write(let text): try Self.check(text)
            case .run(let statements):
                try BrokenPromise.check(!isRunning && !statements.isEmpty, "two inputs run at once")
                isRunning = true
            case .complete(let wanted): completion = wanted
            case .answer(let bytes):
                try BrokenPromise.check(isRunning && bytes.last == 0x0D, "an answer that nobody asked for")
            case .interrupt: try BrokenPromise.check(isRunning, "a break of nothing")
            case .remember(let text): try BrokenPromise.check(text.utf8.count <= machine.language.inputLimit, "a long input")
            case .safeMode, .leave: continue
            }
        }
    }

    /// Sequences of the prompt's own alone: cursor, erasure, bracketed paste.
    private static func check(_ text: String) throws {
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            guard scalar == "\u{1B}" else {
                let isShown = "\r\n\u{7}\u{200D}".unicodeScalars.contains(scalar) || UntrustedText.isHarmless(scalar)
                try BrokenPromise.check(isShown, "U+\(String(scalar.value, radix: 16)) for the terminal")
                continue
            }
            let isBegun = rest.popFirst() == "["
            rest = rest.drop { "0123456789?".unicodeScalars.contains($0) }
            let isOwn = rest.popFirst().map { "ACJHhl".unicodeScalars.contains($0) } ?? false
            try BrokenPromise.check(isBegun && isOwn, "a sequence that is not the prompt's")
        }
    }
}

extension Samples {
    static let keys = [
        "(hello wor\u{1B}[D\u{1B}[D\u{1B}b\u{B}\u{19}\u{14}\u{8}\u{1}\u{5}\r\u{1B}[A\u{1B}OB\u{12}o\u{12}\u{7}",
        "\u{18}\u{1B}[200~two\r\nlines\u{1B}[201~\u{1B}[1;5D\u{1B}d\u{15}e\u{301}\u{1F469}\u{200D}\u{1F680}\u{7F}"
            + "\u{1B}\r\\\r\u{1B}[?62;4c\u{4}",
    ].map { Array($0.utf8) }

    private static func piece(_ text: String, isPrinted: Bool = false) -> [UInt8] {
        [UInt8(text.utf8.count) | (isPrinted ? 0x80 : 0)] + Array(text.utf8)
    }

    static let promptPieces = piece("for a in range(3):\rprint(a)\r\r") + piece("0\r\n1\u{1B}[2J\r\n", isPrinted: true)
        + piece("2\n", isPrinted: true) + piece("\r\n>", isPrinted: true) + piece("mach\t") + piece("machine machines")
        + piece("\u{3}\u{12}pr\r") + piece("who? ", isPrinted: true) + piece("me\r") + piece("", isPrinted: true)
        + piece("\u{1C}") + piece("(") + piece("help\r\u{4}")

    static let scans = Array("M-0001\r\nM-0002\tM-0002\n\u{1B}[Ae\u{301}\r\u{1D}0103\r\r".utf8)
}
