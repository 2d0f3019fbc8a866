import Provisioning
import Support
import Synchronization

/// What an operator sees while units are worked on.
protocol RunDisplay: Sendable {
    /// Whether it is redrawn while nothing happens.
    var isLive: Bool { get }
    var progress: RunProgress { get }

    func handle(_ event: RunEvent)
    /// Somebody has asked for an orderly end.
    func drains()
    /// Writes a line above what is redrawn.
    func print(_ line: String)
    func tick()
    func finish()
}

/// Draws a run: a line for each unit that is worked on and, for several, one that counts, rewritten in place on a terminal; plain lines
/// elsewhere.
///
/// What has ended stays above. Nothing hides the cursor or changes a mode, so a kill leaves stale lines at worst.
final class RunRenderer: RunDisplay {
    private struct State {
        var progress: RunProgress
        var drawnLines = 0
        var lastDrawn: Duration?
        var isFinished = false
        /// What came while a question was open.
        var held: [String] = []
    }

    let isLive: Bool
    private let sink: TextSink
    private let clock: SessionClock
    private let style: TextStyle
    private let isVerbose: Bool
    private let area: DrawingArea
    private let state: Mutex<State>

    /// - Parameter isSingle: one unit, which needs no name.
    init(context: CommandContext, isVerbose: Bool, isSingle: Bool = false) {
        sink = context.diagnostics
        clock = context.clock
        style = context.style(for: context.diagnostics)
        self.isVerbose = isVerbose
        area = context.drawingArea
        isLive = context.diagnostics.isTerminal && !context.isDumbTerminal
        state = Mutex(State(progress: RunProgress(isVerbose: isVerbose, isSingle: isSingle)))
    }

    var progress: RunProgress { state.withLock(\.progress) }

    func handle(_ event: RunEvent) {
        let now = clock.now.offset
        state.withLock { state in
            state.progress.apply(event, at: now)
            guard !state.isFinished else { return }
            let lines = lines(for: event, &state.progress, at: now)
            state.held += lines
            show(&state, at: now)
        }
    }

    /// At once: a question, too, is written so.
    func print(_ line: String) {
        state.withLock { state in
            print([line], &state)
            show(&state, at: clock.now.offset)
        }
    }

    private func print(_ lines: [String], _ state: inout State) {
        clear(&state)
        for line in lines { sink.writeLine(line) }
        state.lastDrawn = nil
    }

    private func show(_ state: inout State, at now: Duration) {
        guard !area.isHeld else { return }
        flush(&state)
        draw(&state, at: now)
    }

    private func flush(_ state: inout State) {
        guard !state.held.isEmpty else { return }
        print(state.held, &state)
        state.held = []
    }

    func drains() {
        handle(RunEvent(unit: nil, content: .notice("no more units are started; press Ctrl-C again to end the running ones, too")))
    }

    func tick() { state.withLock { show(&$0, at: clock.now.offset) } }

    func finish() {
        state.withLock { state in
            flush(&state)
            clear(&state)
            state.isFinished = true
        }
    }

    private func lines(for event: RunEvent, _ progress: inout RunProgress, at now: Duration) -> [String] {
        if progress.isSingle, event.isOfFleet { return [] }
        switch event.content {
        case .units(let count): return ["\(count) \(count == 1 ? "unit" : "units")"]
        case .notice(let notice) where event.unit == nil: return ["note: \(UntrustedText.escape(notice, limit: UntrustedText.noticeLimit))"]
        case .started(let adapter, _): return isLive ? [] : [named(event.unit, "starts on \(UntrustedText.escape(adapter))")]
        // All of them at once, at the end of a run: they are in its table.
        case .ended(.notStarted, _), .recorded, .place: return []
        case .ended: return progress.ended.last.map { [FleetLine.ended($0, style: style)] } ?? []
        default:
            let lines = progress.lines(for: event, at: now)
            guard !isLive || isWorthALine(event.content) else { return [] }
            return progress.isSingle ? lines : lines.map { named(event.unit, $0) }
        }
    }

    private func named(_ unit: FleetUnit?, _ line: String) -> String { unit.map { "\(FleetLine.name($0))  \(line)" } ?? line }

    /// Above the bars only what they do not show.
    private func isWorthALine(_ content: RunEvent.Content) -> Bool {
        switch content {
        case .notice, .recovery: true
        case .stage, .found, .probed, .step: isVerbose
        default: false
        }
    }

    private func clear(_ state: inout State) {
        guard state.drawnLines > 0 else { return }
        sink.write("\r" + (state.drawnLines > 1 ? "\u{1B}[\(state.drawnLines - 1)A" : "") + "\u{1B}[J")
        state.drawnLines = 0
    }

    /// In one write, so that nothing flickers. The cursor stays at the end of the last line: no line is lost to scrolling.
    private func draw(_ state: inout State, at now: Duration) {
        guard isLive, !state.isFinished else { return }
        if let last = state.lastDrawn, now - last < ProgressBar.interval { return }
        state.lastDrawn = now
        let columns = sink.columns()
        let lines = state.progress.isSingle
            ? [ProgressBar.line(state.progress.single, at: now, columns: columns)] : rows(state.progress, at: now, columns: columns)
        let back = state.drawnLines > 1 ? "\u{1B}[\(state.drawnLines - 1)A" : ""
        sink.write("\r\(back)\u{1B}[J" + lines.joined(separator: "\n"))
        state.drawnLines = lines.count
    }

    private func rows(_ progress: RunProgress, at now: Duration, columns: Int) -> [String] {
        let room = max(0, sink.rows() - 2)
        let shown = progress.running.prefix(room)
        let width = FleetLine.nameWidth(shown.map(\.unit), columns: columns)
        let bars = shown.map { FleetLine.bar($0, nameWidth: width, at: now, columns: columns) }
        return bars + [FleetLine.foot(progress, columns: columns)]
    }
}
