import Support

/// Lets a bounded number of ``ChatEvent/notice(_:)`` through in one span of time, whatever the unit sends; the others are counted.
struct NoticeLimit {
    static let span = Duration.seconds(10)
    static let limit = 20

    private var spanEnd: SessionClock.Instant?
    private var count = 0

    private var leftOutCount: Int { max(0, count - Self.limit) }

    /// When ``bound(_:now:)`` has something to tell.
    var nextDeadline: SessionClock.Instant? { leftOutCount > 0 ? spanEnd : nil }

    mutating func bound(_ actions: [ChatMachine.Action], now: SessionClock.Instant) -> [ChatMachine.Action] {
        endSpan(now: now) + actions.filter { action in
            guard case .report(.notice) = action else { return true }
            if spanEnd == nil { spanEnd = now.advanced(by: Self.span) }
            count += 1
            return count <= Self.limit
        }
    }

    private mutating func endSpan(now: SessionClock.Instant) -> [ChatMachine.Action] {
        guard let end = spanEnd, end <= now else { return [] }
        defer { (spanEnd, count) = (nil, 0) }
        return leftOutCount > 0 ? [.report(.noticesLeftOut(count: leftOutCount))] : []
    }
}
