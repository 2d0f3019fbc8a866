/// When a lost link is tried again. The first link has no second attempt: the operator is there, and is told why.
struct ReconnectSchedule {
    private enum State {
        case first
        /// - failures: attempts in a row that have failed.
        case again(UnitStatus, failures: Int)
    }

    /// The last one repeats.
    let delays: [Duration]
    private var state = State.first

    init(delays: [Duration]) { self.delays = delays.isEmpty ? [.seconds(1)] : delays }

    /// The number of the next attempt, from 1 for each reconnection.
    var attempt: Int { failures + 1 }

    /// What an earlier link has told of the unit; `nil` before the first.
    var knownStatus: UnitStatus? {
        if case .again(let status, _) = state { status } else { nil }
    }

    /// How long to wait before the next attempt.
    var delay: Duration { delays[min(failures, delays.count - 1)] }

    mutating func succeeded(_ status: UnitStatus) { state = .again(status, failures: 0) }

    /// - Returns: whether there is another attempt.
    mutating func failed() -> Bool {
        guard case .again(let status, let failures) = state else { return false }
        state = .again(status, failures: failures + 1)
        return true
    }

    private var failures: Int {
        if case .again(_, let failures) = state { failures } else { 0 }
    }
}
