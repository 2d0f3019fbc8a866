import Support

/// Limits the reports about a unit and its program in one span of time; counts the lines and notices beyond.
struct ReportLimit {
    private static let span = Duration.seconds(10)
    static let (lines, exceptions, ends, notices) = (100, 5, 5, 20)

    private enum Kind { case line, exception, end, notice }

    private var spanEnd: SessionClock.Instant?
    private var counts: [Kind: Int] = [:]

    /// When ``bound(_:now:)`` has something to report.
    var nextDeadline: SessionClock.Instant? { leftOut.isEmpty ? nil : spanEnd }

    mutating func bound(_ actions: [ChatMachine.Action], now: SessionClock.Instant) -> [ChatMachine.Action] {
        endSpan(now: now) + actions.filter { action in
            guard case .report(let event) = action, let (kind, limit) = Self.limit(of: event) else { return true }
            if spanEnd == nil { spanEnd = now.advanced(by: Self.span) }
            let count = counts[kind, default: 0] + 1
            counts[kind] = count
            return count <= limit
        }
    }

    private static func limit(of event: ChatEvent) -> (Kind, Int)? {
        switch event {
        case .console: (.line, lines)
        case .raised: (.exception, exceptions)
        case .programEnded: (.end, ends)
        case .notice: (.notice, notices)
        default: nil
        }
    }

    private var leftOut: [ChatEvent] {
        let (lines, notices) = (counts[.line, default: 0] - Self.lines, counts[.notice, default: 0] - Self.notices)
        return (lines > 0 ? [.consoleLeftOut(lines: lines)] : []) + (notices > 0 ? [.noticesLeftOut(count: notices)] : [])
    }

    private mutating func endSpan(now: SessionClock.Instant) -> [ChatMachine.Action] {
        guard let end = spanEnd, end <= now else { return [] }
        defer { (spanEnd, counts) = (nil, [:]) }
        return leftOut.map { .report($0) }
    }
}
