/// What is due when, the earliest first; of two at one time the one that was added first.
struct TimerQueue<Timer> {
    private var entries: [(at: Duration, timer: Timer)] = []

    /// When the first one is due.
    var nextDeadline: Duration? { entries.first?.at }

    mutating func add(_ timer: Timer, at time: Duration) {
        let index = entries.firstIndex { time < $0.at } ?? entries.endIndex
        entries.insert((time, timer), at: index)
    }

    /// Takes the first one when its time has come.
    mutating func takeDue(at now: Duration) -> Timer? {
        guard let first = entries.first, first.at <= now else { return nil }
        return entries.removeFirst().timer
    }

    mutating func removeAll(where isOver: (Timer) -> Bool) { entries.removeAll { isOver($0.timer) } }
}
