/// Earlier lines. Only those with the same beginning as the typed text are offered.
struct InputHistory: Sendable {
    static let limit = 1000

    private(set) var lines: [String] = []
    /// The position in ``lines``, and what was typed before going there.
    private var browsing: (position: Int, draft: String)?

    init(lines: [String] = []) { self.lines = Array(lines.suffix(Self.limit)) }

    /// Ignores empty lines and immediate repetitions.
    mutating func add(_ line: String) {
        browsing = nil
        guard line.contains(where: { !$0.isWhitespace }), line != lines.last else { return }
        lines.append(line)
        if lines.count > Self.limit { lines.removeFirst() }
    }

    mutating func stopBrowsing() { browsing = nil }

    mutating func older(than typed: String) -> String? {
        let (position, draft) = browsing ?? (lines.count, typed)
        let shown = browsing.map { $0.position < lines.count ? lines[$0.position] : draft } ?? typed
        guard let found = lines[..<position].lastIndex(where: { $0.hasPrefix(draft) && $0 != shown }) else { return nil }
        browsing = (found, draft)
        return lines[found]
    }

    mutating func newer() -> String? {
        guard let (position, draft) = browsing, position < lines.count else { return nil }
        let shown = lines[position]
        guard let found = lines[(position + 1)...].firstIndex(where: { $0.hasPrefix(draft) && $0 != shown }) else {
            browsing = nil
            return draft
        }
        browsing = (found, draft)
        return lines[found]
    }
}
