import Bluetooth
import Provisioning
import Support
import Synchronization

/// Draws a run's events: a bar on a terminal, plain lines elsewhere.
///
/// The bar changes no mode of the terminal and hides nothing, so a kill leaves at worst one stale line.
final class ProgressRenderer: Sendable {
    private struct State {
        var model = ProgressModel()
        var bar: ProgressBar?
        var lines: ProgressLines
        var isBarVisible = false
        var isFinished = false
    }

    private static let clearLine = "\r\u{1B}[K"

    let isLive: Bool
    private let sink: TextSink
    private let clock: SessionClock
    private let isVerbose: Bool
    private let area: DrawingArea
    private let state: Mutex<State>

    init(context: CommandContext, isVerbose: Bool) {
        sink = context.diagnostics
        clock = context.clock
        area = context.drawingArea
        self.isVerbose = isVerbose
        isLive = context.diagnostics.isTerminal && !context.isDumbTerminal
        state = Mutex(State(bar: isLive ? ProgressBar() : nil, lines: ProgressLines(isVerbose: isVerbose)))
    }

    var model: ProgressModel { state.withLock { $0.model } }

    func handle(_ event: JobEvent) {
        let now = clock.now.offset
        state.withLock { state in
            state.model.apply(event, at: now)
            guard !state.isFinished else { return }
            let lines = state.lines.lines(for: event, state.model, at: now)
            if !isLive || isWorthALine(event) { print(lines, &state) }
            draw(&state, at: now)
        }
    }

    /// Writes a line above the bar.
    func print(_ line: String) { state.withLock { print([line], &$0) } }

    /// Redraws the bar while no event comes, so that a long erase does not look like a hang.
    func tick() {
        state.withLock { draw(&$0, at: clock.now.offset) }
    }

    /// Ends the drawing; what comes later is only taken in.
    func finish() {
        state.withLock { state in
            guard !state.isFinished else { return }
            state.isFinished = true
            if state.isBarVisible { sink.write(Self.clearLine) }
        }
    }

    /// Above a bar only what does not repeat it.
    private func isWorthALine(_ event: JobEvent) -> Bool {
        switch event.content {
        case .notice, .recovery: true
        case .progress: false
        case .stage, .found, .probed, .planned, .step: isVerbose
        }
    }

    private func print(_ lines: [String], _ state: inout State) {
        guard !lines.isEmpty else { return }
        if state.isBarVisible { sink.write(Self.clearLine) }
        state.isBarVisible = false
        for line in lines { sink.writeLine(line) }
    }

    private func draw(_ state: inout State, at now: Duration) {
        guard !state.isFinished, !area.isHeld, state.bar?.isDue(at: now) == true else { return }
        sink.write(Self.clearLine + ProgressBar.line(state.model, at: now, columns: sink.columns()))
        state.isBarVisible = true
    }
}
