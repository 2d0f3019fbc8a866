import Assistant
import Bluetooth
import Support

/// A conversation at a terminal as a state machine: bytes, events and time in; text for the screen and commands out.
///
/// The conversation scrolls up; the answer's last row, the status line and the typed line stay below.
struct TerminalChat {
    enum Effect: Hashable, Sendable {
        case write(String)
        case command(SessionCommand)
        /// A picture file for the unit's display.
        case picture(String)
        /// A line for the history file.
        case remember(String)
        case quit
    }

    /// Two Ctrl-C within this time end the conversation.
    static let quitTimeout = Duration.seconds(2)
    private static let start = "\u{1B}[?2004h\u{1B}[c"
    private static let end = "\u{1B}[?2004l"
    private static let bell = "\u{07}"
    private static let clearScreen = "\u{1B}[H\u{1B}[2J"

    private(set) var editor: LineEditor
    /// The terminal reports sixel graphics.
    private(set) var showsSixel = false
    private var hasMissedGraphics = false
    private var decoder = KeyDecoder()
    private var status: ChatStatus
    private var stream = AnswerStream()
    /// Part of the answer is already on the screen.
    private var hasStreamed = false
    private var area = LiveArea()
    private let style: TextStyle
    private let isVerbose: Bool
    private var columns: Int
    private var lastInterrupt: SessionClock.Instant?
    private var effects: [Effect] = []

    /// - Parameter isVerbose: also shows the program's output.
    init(editor: LineEditor, status: ChatStatus, style: TextStyle, columns: Int, isVerbose: Bool = false) {
        (self.editor, self.status, self.style, self.columns, self.isVerbose) = (editor, status, style, columns, isVerbose)
    }

    // MARK: - Inputs

    mutating func begin() -> [Effect] {
        effects = [.write(Self.start)]
        print(["Type a question, or tap the glasses and speak. /help lists the commands."])
        return take()
    }

    mutating func receive(_ bytes: [UInt8], now: SessionClock.Instant) -> [Effect] {
        for key in decoder.decode(bytes) { handle(key, now: now) }
        redraw()
        return take()
    }

    mutating func receive(_ event: ChatEvent, photoFile: String?) -> [Effect] {
        status.take(event)
        if case .answerPiece(_, let piece) = event {
            let isFirst = !stream.isOpen
            hasStreamed = true
            let rows = stream.append(isFirst ? "noa: " + piece : piece, columns: width)
            rows.isEmpty ? redraw() : print(rows)
        } else if case .answered(_, _, let cut) = event, hasStreamed {
            hasStreamed = false
            print(stream.close() + (cut.map { ["(\(ChatFormatter.describe($0)))"] } ?? []))
        } else if let line = ChatFormatter.line(for: event, photoFile: photoFile), isVerbose || line.kind != .console {
            let rest = stream.close()
            print(rest + lines(of: line))
        } else {
            redraw()
        }
        return take()
    }

    mutating func show(graphics: String) -> [Effect] {
        effects.append(.write(area.erase() + graphics + "\r\n"))
        redraw()
        return take()
    }

    /// The terminal could show the picture, but the drawing program is missing.
    mutating func missGraphics() -> [Effect] {
        if !hasMissedGraphics { print(["--- to see pictures here, install chafa"]) }
        hasMissedGraphics = true
        return take()
    }

    /// Says why a picture cannot be shown.
    mutating func refuse(_ message: String) -> [Effect] {
        print([style.paint("!!! ", .bad) + UntrustedText.escape(message)])
        return take()
    }

    /// Call it when nobody has typed for a moment.
    mutating func rest() -> [Effect] {
        decoder.settle()
        return take()
    }

    mutating func fit(columns: Int) -> [Effect] {
        if columns != self.columns {
            // The terminal may have wrapped the rows: begin below them.
            effects.append(.write(area.erase()))
            self.columns = columns
            redraw()
        }
        return take()
    }

    mutating func finish() -> [Effect] {
        effects.append(.write(area.erase() + stream.close().map { $0 + "\r\n" }.joined() + Self.end))
        return take()
    }

    // MARK: - Keys

    private mutating func handle(_ key: Key, now: SessionClock.Instant) {
        if case .attributes(let attributes) = key { showsSixel = attributes.dropFirst().contains(4) }
        switch editor.handle(key) {
        case .submitted(let line): submit(line)
        case .interrupted(let hadText): interrupt(hadText: hadText, now: now)
        case .ended: effects.append(.quit)
        case .clearScreen:
            _ = area.erase()
            effects.append(.write(Self.clearScreen))
        case .completion: _ = editor.handle(.text(" "))
        case .refused: effects.append(.write(Self.bell))
        case nil: break
        }
    }

    private mutating func submit(_ line: String) {
        let meaning = TypedLine(line)
        if meaning != .nothing { effects.append(.remember(line)) }
        switch meaning {
        case .nothing: break
        case .command(let command):
            effects.append(.command(command))
        case .picture(let file): effects.append(.picture(file))
        case .help: print(TypedLine.helpLines)
        case .quit: effects.append(.quit)
        case .unknown(let line): print(["not a command: \(UntrustedText.escape(line)) (/help lists them)"])
        }
    }

    private mutating func interrupt(hadText: Bool, now: SessionClock.Instant) {
        if let last = lastInterrupt, last.duration(to: now) <= Self.quitTimeout { return effects.append(.quit) }
        lastInterrupt = now
        if !hadText { print(["Press Ctrl-C again to end the conversation; /cancel cancels the answer."]) }
    }

    // MARK: - Drawing

    private var width: Int { max(8, columns - 1) }

    private func lines(of line: ChatLine) -> [String] {
        switch line.kind {
        case .question: line.texts.map { style.paint("you: ", .strong) + $0 }
        case .answer: line.texts.map { "noa: " + $0 }
        case .state: line.texts.map { style.paint("--- ", .careful) + $0 }
        case .problem: line.texts.map { style.paint("!!! ", .bad) + $0 }
        case .console: line.texts.map { style.paint("unit: ", .careful) + $0 }
        }
    }

    /// Prints above the redrawn area.
    private mutating func print(_ lines: [String]) {
        effects.append(.write(area.erase() + lines.map { $0 + "\r\n" }.joined()))
        redraw()
    }

    private mutating func redraw() {
        let layout = PromptLayout(editor.text, cursor: editor.cursor, columns: columns, prompt: editor.prompt(PromptLayout.prompt))
        let above = (stream.isOpen ? [stream.row] : []) + [style.paint(status.line(columns: columns), .careful)]
        effects.append(
            .write(
                area.erase()
                    + area.draw(above + layout.rows, cursorRow: above.count + layout.cursorRow, cursorColumn: layout.cursorColumn)))
    }

    private mutating func take() -> [Effect] {
        defer { effects = [] }
        return effects
    }
}
