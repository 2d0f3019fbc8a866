import Support
import Synchronization

/// Lines that are redrawn in place on a terminal; elsewhere nothing is drawn.
final class LiveBlock: Sendable {
    static let interval = Duration.milliseconds(200)

    private struct State {
        var drawnLines = 0
        var lastDrawn: SessionClock.Instant?
        var isFinished = false
    }

    let isLive: Bool
    private let context: CommandContext
    private let state = Mutex(State())

    init(_ context: CommandContext) {
        self.context = context
        isLive = context.output.isTerminal && !context.isDumbTerminal
    }

    /// At most five times a second.
    /// - Parameters:
    ///   - isDue: now, whatever was drawn before.
    ///   - lines: gets the columns that a line has at most.
    func draw(at now: SessionClock.Instant, isDue: Bool = false, _ lines: (TextStyle, _ columns: Int) -> [String]) {
        guard isLive else { return }
        state.withLock { state in
            guard !state.isFinished, isDue || state.lastDrawn.map({ $0.duration(to: now) >= Self.interval }) ?? true else { return }
            state.lastDrawn = now
            let sink = context.output
            // What is longer than the screen cannot be drawn over.
            let shown = lines(context.style(for: sink), max(8, sink.columns() - 1)).prefix(max(1, sink.rows() - 1))
            let back = state.drawnLines > 0 ? "\u{1B}[\(state.drawnLines)A\r\u{1B}[J" : ""
            sink.write(back + shown.map { $0 + "\n" }.joined())
            state.drawnLines = shown.count
        }
    }

    /// Stays above what is redrawn.
    func note(_ text: String) {
        state.withLock { $0.drawnLines = 0 }
        context.note(text)
    }

    /// Nothing is drawn from now on: what follows stands below.
    func finish() { state.withLock { $0.isFinished = true } }
}
