import Support

/// A person's keys at a unit's prompt as a state machine: bytes, the unit's output and time in; text for the screen and work out.
///
/// What the unit prints scrolls up; its last row and the input stay below. One input runs at a time.
struct PromptMachine {
    enum Effect: Hashable, Sendable {
        case write(String)
        /// Run these, one after the other, until one fails.
        case run([String])
        case complete(NameCompletion)
        /// Break what runs.
        case interrupt
        /// For the code that runs and asks for it.
        case answer([UInt8])
        /// An input for the history.
        case remember(String)
        case safeMode
        case leave
    }

    enum Ending: Hashable, Sendable {
        /// With what the unit printed last, and an error.
        case over(output: [UInt8] = [], error: String? = nil)
        /// It goes on.
        case incomplete
    }

    private enum Activity {
        case idle, completing(NameCompletion)
        /// - input: it stands in the editor until the unit has decided that it is whole.
        case running(input: String?)
    }

    /// A second Ctrl-\ within this time is meant.
    static let safeModeTimeout = Duration.seconds(2)
    private static let aheadLimit = 4096
    private static let (start, end, bell) = ("\u{1B}[?2004h", "\u{1B}[?2004l", "\u{07}")
    private static let clearScreen = "\u{1B}[H\u{1B}[2J"

    let language: PromptLanguage
    private(set) var editor: LineEditor
    private var decoder = KeyDecoder()
    private var area = LiveArea()
    private var output = OutputRows()
    private var activity = Activity.idle
    /// Typed while something runs.
    private var ahead: [Key] = []
    private var warnedAt: SessionClock.Instant?
    private var columns: Int
    private var effects: [Effect] = []

    init(_ language: PromptLanguage, history: InputHistory = InputHistory(), columns: Int) {
        (self.language, self.columns) = (language, columns)
        editor = LineEditor(history: history, limit: language.inputLimit)
    }

    // MARK: - Inputs

    mutating func begin() -> [Effect] {
        effects = [.write(Self.start)]
        tell([language.greeting])
        return take()
    }

    mutating func receive(_ bytes: [UInt8], now: SessionClock.Instant) -> [Effect] {
        let keys = decoder.decode(bytes)
        for (index, key) in keys.enumerated() {
            handle(key, isTyped: index == keys.count - 1, isAlone: keys.count == 1, now: now)
        }
        redraw()
        return take()
    }

    mutating func show(_ bytes: [UInt8]) -> [Effect] {
        print(output.take(bytes, columns: width))
        return take()
    }

    mutating func end(_ ending: Ending) -> [Effect] {
        guard case .running(let input) = activity else { return [] }
        activity = .idle
        switch ending {
        case .incomplete:
            _ = editor.handle(.end)
            newLine(isTyped: ahead.isEmpty)
        case .over(let bytes, let error):
            if let input { commit(input) }
            let rows = output.take(bytes, columns: width) + output.close()
            print(rows + (error.map { $0.split(separator: "\n").map { UntrustedText.escape(String($0), limit: 1000) } } ?? []))
        }
        return goOn()
    }

    mutating func complete(_ completion: NameCompletion, _ names: [String]) -> [Effect] {
        guard case .completing(completion) = activity else { return [] }
        activity = .idle
        let more = NameCompletion.common(names).dropFirst(completion.beginning.count)
        if !more.isEmpty {
            _ = editor.handle(.text(String(more)))
        } else if names.isEmpty {
            effects.append(.write(Self.bell))
        } else {
            tell([names.joined(separator: "  ")])
        }
        return goOn()
    }

    /// Call it when nobody has typed for a moment.
    mutating func rest() -> [Effect] {
        decoder.settle()
        return take()
    }

    mutating func fit(columns: Int) -> [Effect] {
        if columns != self.columns {
            effects.append(.write(area.erase()))
            self.columns = columns
            redraw()
        }
        return take()
    }

    mutating func finish() -> [Effect] {
        let rows = output.close()
        effects.append(.write(area.erase() + rows.map { $0 + "\r\n" }.joined() + Self.end))
        return take()
    }

    // MARK: - Keys

    /// The code that runs has asked something in a row that goes on.
    private var isAsked: Bool {
        if case .running(nil) = activity { language == .python && !output.row.isEmpty } else { false }
    }

    private var isIdle: Bool { if case .idle = activity { true } else { false } }

    private mutating func goOn() -> [Effect] {
        while isIdle, !ahead.isEmpty { edit(ahead.removeFirst(), isTyped: ahead.isEmpty) }
        redraw()
        return take()
    }

    /// - Parameters:
    ///   - isTyped: nothing came with it that a person would type later.
    private mutating func handle(_ key: Key, isTyped: Bool, isAlone: Bool, now: SessionClock.Instant) {
        switch key {
        case .interrupt where editor.search == nil: interrupt()
        case .leave: effects.append(.leave)
        case .safeMode where language == .python: restart(isAlone: isAlone, now: now)
        case .endOfInput where ahead.isEmpty && (editor.text.isEmpty || !isIdle && !isAsked): effects.append(.leave)
        case _ where isIdle || isAsked && ahead.isEmpty: edit(key, isTyped: isTyped)
        case _ where ahead.count < Self.aheadLimit: ahead.append(key)
        default: effects.append(.write(Self.bell))
        }
    }

    private mutating func interrupt() {
        ahead = []
        if case .running = activity { return effects.append(.interrupt) }
        activity = .idle
        let rows = shown(editor.text)
        editor.clear()
        print(rows)
    }

    /// Two in one piece were pasted.
    private mutating func restart(isAlone: Bool, now: SessionClock.Instant) {
        if isAlone, let warnedAt, warnedAt.duration(to: now) <= Self.safeModeTimeout { return effects.append(.safeMode) }
        if warnedAt != now { tell(["Press Ctrl-\\ again to restart the unit into safe mode, without its program."]) }
        warnedAt = now
    }

    private mutating func edit(_ key: Key, isTyped: Bool) {
        switch key {
        case .enter: return enter(isTyped: isTyped)
        case .backspace where editor.search == nil && language == .python && isBlank(before) && before.count > 1:
            for _ in 0...((before.count - 1) % PythonInput.indent) { _ = editor.handle(.backspace) }
            return
        default: break
        }
        switch editor.handle(key) {
        case .completion: complete()
        case .clearScreen:
            _ = area.erase()
            effects.append(.write(Self.clearScreen))
        case .refused:
            if case .paste = key { tell(["An input has at most \(language.inputLimit) bytes; noafw run FILE takes more."]) }
            effects.append(.write(Self.bell))
        case .ended, .submitted, .interrupted, nil: break
        }
    }

    /// The line before the cursor.
    private var before: Substring {
        let text = editor.text[..<editor.text.utf8.index(editor.text.startIndex, offsetBy: editor.cursor)]
        return text.split(separator: "\n", omittingEmptySubsequences: false).last ?? ""
    }

    private func isBlank(_ text: some StringProtocol) -> Bool { text.allSatisfy { $0 == " " } }

    private mutating func complete() {
        guard isIdle else { return }
        if language == .python, isBlank(before), editor.text.contains("\n") {
            _ = editor.handle(.text(String(repeating: " ", count: PythonInput.indent - before.count % PythonInput.indent)))
        } else if let completion = NameCompletion(before, language) {
            activity = .completing(completion)
            effects.append(.complete(completion))
        } else {
            effects.append(.write(Self.bell))
        }
    }

    private mutating func newLine(isTyped: Bool) {
        let blanks = isTyped ? language.indentation(after: before) : ""
        _ = editor.handle(.newline)
        if !blanks.isEmpty { _ = editor.handle(.text(blanks)) }
    }

    private mutating func enter(isTyped: Bool) {
        let text = editor.text
        if isAsked {
            editor.clear()
            return effects.append(.answer(Array(text.utf8) + [0x0D]))
        }
        if text.utf8.dropFirst(editor.cursor).contains(0x0A) || !language.isWhole(text) { return newLine(isTyped: isTyped) }
        let word = text.filter { !$0.isWhitespace }
        switch word {
        case "", "exit", "exit()", "quit", "quit()", "help", "help()":
            commit(text)
            if word.hasPrefix("help") { tell(language.help) } else if !word.isEmpty { effects.append(.leave) }
        default: run(text)
        }
    }

    private mutating func run(_ text: String) {
        do {
            let statements = try language.statements(of: text)
            // Only comments.
            if statements.isEmpty { return commit(text) }
            if language == .python { commit(text) }
            activity = .running(input: language == .python ? nil : text)
            effects.append(.run(statements))
        } catch {
            commit(text)
            tell([UntrustedText.escape(diagnose(error).message)])
        }
    }

    // MARK: - Drawing

    private var width: Int { max(8, columns - 1) }

    /// An input as it stays on the screen.
    private func shown(_ text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().map { number, line in
            (number == 0 ? language.prompt : language.continuation) + line
        }
    }

    private mutating func commit(_ text: String) {
        print(shown(text))
        _ = editor.submit()
        // As in a shell, a blank in front keeps it out of the history's file.
        if text.contains(where: { !$0.isWhitespace }), text.first != " " { effects.append(.remember(text)) }
    }

    private mutating func tell(_ lines: [String]) { print(lines.flatMap { DisplayWidth.wrap($0, columns: width) }) }

    /// Prints above the redrawn area.
    private mutating func print(_ lines: [String]) {
        if !lines.isEmpty { effects.append(.write(area.erase() + lines.map { $0 + "\r\n" }.joined())) }
        redraw()
    }

    private mutating func redraw() {
        let isRunning = if case .running(nil) = activity { true } else { false }
        let above = isRunning || output.row.isEmpty ? [] : [output.row]
        let layout = PromptLayout(
            editor.text, cursor: editor.cursor, columns: columns, prompt: isRunning ? output.row : editor.prompt(language.prompt),
            continuation: isRunning ? "" : language.continuation)
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
