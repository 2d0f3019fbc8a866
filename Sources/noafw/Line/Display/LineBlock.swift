import Provisioning
import Support

/// A line's screen as rows of a terminal. Rows that have no room go, the least telling first; the verdict's code and what to do next are
/// the last of them.
struct LineBlock {
    /// The less, the later they go.
    private enum Rank: Int, CaseIterable { case words, state, count, notices, banner, blank }

    private let screen: LineScreen
    private let style: TextStyle
    /// The last column stays free: writing into it would wrap.
    private let width: Int

    /// - Parameter columns: the terminal's width.
    init(_ screen: LineScreen, style: TextStyle, columns: Int) {
        (self.screen, self.style, width) = (screen, style, max(columns - 1, 1))
    }

    func lines(rows: Int, at now: Duration) -> [String] {
        var parts: [(rank: Rank, lines: [String])] = [
            (.banner, banner), (.words, wrapped(screen.details(style))), (.words, wrapped(screen.next)), (.blank, [""]),
            (.state, state(now)), (.notices, notices), (.count, wrapped(screen.count.text)),
        ]
        for rank in Rank.allCases.reversed() where parts.map(\.lines.count).reduce(0, +) >= rows {
            if rank != .words { parts.removeAll { $0.rank == rank } }
        }
        return Array(parts.flatMap(\.lines).prefix(max(1, rows - 1)))
    }

    private func wrapped(_ text: String) -> [String] { DisplayWidth.wrap(text, columns: width) }

    private func state(_ now: Duration) -> [String] {
        guard case .run = screen.task else { return wrapped(screen.status) }
        let bar =
            screen.progress.map { ProgressBar.line($0, at: now, columns: width + 1) } ?? DisplayWidth.prefix("connect", columns: width)
        return [bar] + (screen.isDraining ? wrapped(screen.status) : [])
    }

    /// One empty row where there are none: the block keeps its height when one comes.
    private var notices: [String] {
        let texts = [screen.answer].compactMap(\.self) + screen.notices
        return texts.isEmpty ? [""] : texts.flatMap(wrapped)
    }

    private var banner: [String] {
        guard let shown = screen.shown else { return Array(repeating: "", count: BlockLetters.rows) }
        let (word, sign) = (shown.verdict.word, shown.verdict.sign(style))
        let margin = Array(repeating: "", count: BlockLetters.rows / 2)
        let rows = BlockLetters.lines(word, columns: width - 4) ?? margin + ["\(word) \(sign)"] + margin
        return rows.map { style.band(centred($0), shown.verdict.tone) }
    }

    private func centred(_ text: String) -> String {
        let text = DisplayWidth.prefix(text, columns: width)
        let room = max(0, width - DisplayWidth.columns(text))
        return String(repeating: " ", count: room / 2) + text + String(repeating: " ", count: room - room / 2)
    }
}
