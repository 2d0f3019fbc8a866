import Provisioning
import Support
import Synchronization

/// Shows the line's operator what is going on: one block of lines that is rewritten in place on a terminal, plain lines elsewhere.
final class LineRenderer: RunDisplay {
    private struct State {
        var screen = LineScreen()
        var progress: RunProgress
        var drawnLines = 0
        var lastDrawn: Duration?
        var isFinished = false
    }

    let isLive: Bool
    private let sink: TextSink
    private let clock: SessionClock
    private let style: TextStyle
    private let rings: Bool
    private let state: Mutex<State>

    /// - Parameter rings: once for a unit that passed, three times for another.
    init(context: CommandContext, isVerbose: Bool, rings: Bool) {
        sink = context.diagnostics
        clock = context.clock
        style = context.style(for: context.diagnostics)
        self.rings = rings
        isLive = context.diagnostics.isTerminal && !context.isDumbTerminal
        state = Mutex(State(progress: RunProgress(isVerbose: isVerbose)))
    }

    var progress: RunProgress { state.withLock(\.progress) }

    func handle(_ event: RunEvent) {
        let now = clock.now.offset
        state.withLock { state in
            state.progress.apply(event, at: now)
            state.screen.progress = state.progress.running.first?.model
            if case .ended(let result, _) = event.content, rings { sink.write(result.passed ? "\u{7}" : "\u{7}\u{7}\u{7}") }
            if let lines = take(event, &state.screen) { return show(lines, &state, isDue: true) }
            let lines = state.progress.lines(for: event, at: now)
            show(lines.map { line in event.unit.map { "\(FleetLine.name($0))  \(line)" } ?? line }, &state, isDue: false)
        }
    }

    func print(_ line: String) {
        state.withLock { state in
            if state.drawnLines > 0, !state.isFinished { sink.write("\r\(Self.up(state.drawnLines))\u{1B}[J") }
            sink.writeLine(line)
            state.drawnLines = 0
            if isLive { show([], &state, isDue: true) }
        }
    }

    /// To the first of so many lines.
    private static func up(_ lines: Int) -> String { lines > 1 ? "\u{1B}[\(lines - 1)A" : "" }

    func drains() { handle(RunEvent(unit: nil, content: .place(.draining))) }

    func tick() { state.withLock { show([], &$0, isDue: false) } }

    /// The last verdict stays.
    func finish() {
        state.withLock { state in
            guard !state.isFinished else { return }
            show([], &state, isDue: true)
            state.isFinished = true
            if state.drawnLines > 0 { sink.write("\n") }
        }
    }

    private func show(_ lines: [String], _ state: inout State, isDue: Bool) {
        guard !state.isFinished else { return }
        guard isLive else {
            for line in lines { sink.writeLine(line) }
            return
        }
        let now = clock.now.offset
        if !isDue, let last = state.lastDrawn, now - last < ProgressBar.interval { return }
        state.lastDrawn = now
        let block = LineBlock(state.screen, style: style, columns: sink.columns()).lines(rows: sink.rows(), at: now)
        // Each line ends with the clearing of its rest: nothing flickers.
        sink.write("\r\(Self.up(state.drawnLines))" + block.map { $0 + "\u{1B}[K" }.joined(separator: "\n") + "\u{1B}[J")
        state.drawnLines = block.count
    }

    /// - Returns: the same as plain lines; `nil` for what only moves the bar.
    private func take(_ event: RunEvent, _ screen: inout LineScreen) -> [String]? {
        switch event.content {
        case .place(let place): return take(place, event.unit, &screen)
        case .notice(let text):
            let note = "note: \(UntrustedText.escape(text, limit: UntrustedText.noticeLimit))"
            screen.note(note)
            return [event.unit.map { "\(FleetLine.name($0))  \(note)" } ?? note]
        case .started(_, let serial):
            guard let unit = event.unit else { return [] }
            screen.begin(unit, serial: serial)
            return [screen.details(style)]
        case .ended(let result, let seconds):
            guard let unit = event.unit else { return [] }
            screen.end(unit, result, seconds: seconds)
            return [screen.details(style), screen.next, screen.count.text]
        default: return nil
        }
    }

    private func take(_ place: PlaceEvent, _ unit: FleetUnit?, _ screen: inout LineScreen) -> [String] {
        switch place {
        case .waiting:
            screen.task = .wait
            return ["waiting for a unit"]
        case .asking:
            screen.task = .scan
            return ["scan the unit's serial number"]
        case .accepted(let serial):
            screen.task = .wait
            return answer("serial \(UntrustedText.escape(serial))", &screen)
        case .refused(let refusal): return answer(refusal.notice, &screen)
        case .several(let units):
            screen.task = .several(units)
            return [screen.status]
        case .metAgain(let before):
            screen.task = .wait
            screen.verdict = .init(
                verdict: .pass, unit: unit?.id ?? "", serial: nil, error: nil, seconds: 0,
                before: "\(Format.clock(seconds: before.inSeconds)) ago; --again works on it once more")
            return [screen.details(style)]
        case .draining:
            guard !screen.isDraining else { return [] }
            screen.isDraining = true
            return [screen.status]
        }
    }

    private func answer(_ text: String, _ screen: inout LineScreen) -> [String] {
        screen.answer = text
        return [text]
    }
}
