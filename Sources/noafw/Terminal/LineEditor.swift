/// The text being typed, and the cursor. A state machine: keys in, meanings out. It draws nothing.
///
/// libedit 3.1 is no substitute: it submits the first line of a bracketed paste, a backspace leaves half of an emoji family, it
/// lets U+202E through, reads the terminal's answer to DA1 as text, and leaves the line half drawn when another thread prints.
struct LineEditor {
    enum Outcome: Hashable, Sendable {
        case submitted(String)
        /// Ctrl-C, and whether it discarded a line.
        case interrupted(hadText: Bool)
        case ended
        case clearScreen
        /// Tab.
        case completion
        /// Impossible: no more history, or the line is full.
        case refused
    }

    /// Bytes in one line: the limit of a chat session's question.
    static let limit = 8 << 10

    private let limit: Int

    private(set) var text = ""
    /// Bytes of ``text`` before the cursor; always between two characters.
    private(set) var cursor = 0
    private(set) var history: InputHistory
    private var killed = ""
    /// A kill right after a kill adds to it.
    private var lastWasKill = false
    /// What Ctrl-R looks for in the history, and what was typed before.
    private(set) var search: (words: String, position: Int, draft: String)?

    init(history: InputHistory = InputHistory(), limit: Int = Self.limit) { (self.history, self.limit) = (history, limit) }

    mutating func handle(_ key: Key) -> Outcome? {
        let wasKill = lastWasKill
        lastWasKill = false
        if let search { return find(key, search) }
        switch key {
        case .text(let text), .paste(let text): return insert(text)
        case .enter: return enter()
        case .newline: return insert("\n")
        case .left, .right, .home, .end, .wordLeft, .wordRight: cursor = target(of: key)
        case .up, .down: return moveLine(up: key == .up)
        case .older, .newer: return recall(older: key == .older)
        case .backspace: return remove(to: previous(cursor))
        case .delete: return remove(to: next(cursor))
        case .endOfInput:
            if text.isEmpty { return .ended }
            return remove(to: next(cursor))
        case .deleteWordLeft: kill(to: target(of: .wordLeft), adding: wasKill)
        case .deleteWordRight: kill(to: target(of: .wordRight), adding: wasKill)
        case .killToStart: kill(to: target(of: .home), adding: wasKill)
        case .killToEnd:
            let end = target(of: .end)
            kill(to: end == cursor ? next(cursor) : end, adding: wasKill)
        case .yank: return insert(killed)
        case .transpose: return transpose()
        case .clearScreen: return .clearScreen
        case .interrupt:
            defer { set("") }
            history.stopBrowsing()
            return .interrupted(hadText: !text.isEmpty)
        case .search: search = ("", history.lines.count, text)
        case .tab: return .completion
        case .attributes, .cancel, .leave, .safeMode: break
        }
        return nil
    }

    private mutating func enter() -> Outcome? {
        if text.hasSuffix("\\"), cursor == text.utf8.count {
            _ = remove(to: previous(cursor))
            return insert("\n")
        }
        return .submitted(submit())
    }

    /// Whatever the text ends with.
    mutating func submit() -> String {
        defer { set("") }
        search = nil
        history.add(text)
        return text
    }

    /// The prompt, or what is searched for.
    func prompt(_ usual: String) -> String { search.map { "(search: \($0.words)) " } ?? usual }

    mutating func clear() {
        search = nil
        history.stopBrowsing()
        set("")
    }

    private mutating func find(_ key: Key, _ now: (words: String, position: Int, draft: String)) -> Outcome? {
        let words: String
        switch key {
        case .text(let more), .paste(let more): words = now.words + Self.harmless(more)
        case .backspace: words = String(now.words.dropLast())
        case .search: words = now.words
        case .cancel, .interrupt:
            search = nil
            set(now.draft)
            return nil
        default:
            search = nil
            return handle(key)
        }
        let end = key == .search ? now.position : key == .backspace ? history.lines.count : min(now.position + 1, history.lines.count)
        guard words.utf8.count <= Self.limit, let found = history.lines[..<end].lastIndex(where: { $0.contains(words) }) else {
            return .refused
        }
        search = (words, found, now.draft)
        set(history.lines[found])
        return nil
    }

    private mutating func set(_ text: String) {
        self.text = text
        cursor = text.utf8.count
    }

    // MARK: - Changing

    private mutating func insert(_ new: String) -> Outcome? {
        let clean = Self.harmless(new)
        guard text.utf8.count + clean.utf8.count <= limit else { return .refused }
        replace(cursor..<cursor, with: clean)
        history.stopBrowsing()
        return nil
    }

    private mutating func remove(to other: Int) -> Outcome? {
        guard other != cursor else { return .refused }
        replace(min(other, cursor)..<max(other, cursor), with: "")
        history.stopBrowsing()
        return nil
    }

    private mutating func kill(to other: Int, adding: Bool) {
        lastWasKill = true
        guard other != cursor else { return }
        let range = min(other, cursor)..<max(other, cursor)
        let piece = String(text[index(range.lowerBound)..<index(range.upperBound)])
        killed = adding ? (other < cursor ? piece + killed : killed + piece) : piece
        replace(range, with: "")
        history.stopBrowsing()
    }

    private mutating func transpose() -> Outcome? {
        let right = cursor == text.utf8.count ? previous(cursor) : cursor
        let left = previous(right)
        let end = next(right)
        guard left < right, right < end else { return .refused }
        let swapped = text[index(right)..<index(end)] + text[index(left)..<index(right)]
        replace(left..<end, with: String(swapped))
        return nil
    }

    /// Two characters may become one (a letter before a combining accent): the cursor goes after it.
    private mutating func replace(_ range: Range<Int>, with new: String) {
        let head = String(text[..<index(range.lowerBound)]) + new
        let target = head.utf8.count
        text = head + text[index(range.upperBound)...]
        cursor = 0
        while cursor < target { cursor = next(cursor) }
    }

    /// Keeps line feeds, turns tabs into spaces, and removes what could control a terminal or reorder a line; emoji families
    /// need zero-width joiners.
    static func harmless(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        var follows = false
        for scalar in text.unicodeScalars {
            defer { follows = scalar == "\r" }
            switch scalar {
            case "\n": if !follows { result.append("\n") }
            case "\r": result.append("\n")
            case "\t": result.append(" ")
            case "\u{200D}": result.append(scalar)
            default: if UntrustedText.isHarmless(scalar) { result.append(scalar) }
            }
        }
        return String(result)
    }

    // MARK: - Moving

    private func index(_ offset: Int) -> String.Index { text.utf8.index(text.startIndex, offsetBy: offset) }
    private func offset(_ index: String.Index) -> Int { text.utf8.distance(from: text.startIndex, to: index) }

    private func previous(_ offset: Int) -> Int {
        offset > 0 ? self.offset(text.index(before: index(offset))) : 0
    }

    private func next(_ offset: Int) -> Int {
        offset < text.utf8.count ? self.offset(text.index(after: index(offset))) : offset
    }

    private func target(of key: Key) -> Int {
        let (before, after) = (text[..<index(cursor)], text[index(cursor)...])
        switch key {
        case .left: return previous(cursor)
        case .right: return next(cursor)
        case .home: return before.lastIndex(of: "\n").map { next(offset($0)) } ?? 0
        case .end: return after.firstIndex(of: "\n").map(offset) ?? text.utf8.count
        case .wordLeft:
            let word = before.lastIndex(where: Self.isWord) ?? text.startIndex
            return before[..<word].lastIndex { !Self.isWord($0) }.map { next(offset($0)) } ?? 0
        case .wordRight:
            let word = after.firstIndex(where: Self.isWord) ?? text.endIndex
            return text[word...].firstIndex { !Self.isWord($0) }.map(offset) ?? text.utf8.count
        default: return cursor
        }
    }

    private static func isWord(_ character: Character) -> Bool { character.isLetter || character.isNumber }

    /// To the same column in the line above or below; past the first or last line, into the history.
    private mutating func moveLine(up: Bool) -> Outcome? {
        let start = target(of: .home)
        let end = target(of: .end)
        guard up ? start > 0 : end < text.utf8.count else { return recall(older: up) }
        let column = text[index(start)..<index(cursor)].count
        cursor = up ? previous(start) : next(end)
        if up { cursor = target(of: .home) }
        let line = text[index(cursor)..<index(target(of: .end))]
        cursor = offset(line.index(line.startIndex, offsetBy: column, limitedBy: line.endIndex) ?? line.endIndex)
        return nil
    }

    private mutating func recall(older: Bool) -> Outcome? {
        guard let line = older ? history.older(than: text) : history.newer() else { return .refused }
        set(line)
        return nil
    }
}
