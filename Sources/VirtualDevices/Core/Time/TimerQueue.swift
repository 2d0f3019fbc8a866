/// Timers by time, the earliest first; equal times in the order added.
struct TimerQueue<Timer> {
    /// The latest first: the earliest is taken from the end, where most are also added.
    private var entries: [(at: Duration, timer: Timer)] = []

    var count: Int { entries.count }
    /// When the first is due.
    var nextDeadline: Duration? { entries.last?.at }

    mutating func add(_ timer: Timer, at time: Duration) { entries.insert((time, timer), at: place { $0 <= time }) }

    mutating func takeDue(at now: Duration) -> Timer? {
        guard let first = entries.last, first.at <= now else { return nil }
        return entries.removeLast().timer
    }

    /// Any of those that are due first.
    mutating func takeNext(using generator: inout SeededGenerator) -> Timer? {
        guard let first = entries.last else { return nil }
        let equal = entries.reversed().prefix { $0.at == first.at }.count
        return entries.remove(at: entries.count - Int.random(in: 1...equal, using: &generator)).timer
    }

    mutating func removeAll(where isOver: (Timer) -> Bool) { entries.removeAll { isOver($0.timer) } }

    /// Takes the matching timer of this time; `nil` if it is gone.
    mutating func remove(at time: Duration, where isMeant: (Timer) -> Bool) -> Timer? {
        let start = place { $0 <= time }
        let index = entries[start...].prefix { $0.at == time }.firstIndex { isMeant($0.timer) }
        return index.map { entries.remove(at: $0).timer }
    }

    /// The first position from which the condition holds.
    private func place(where holds: (Duration) -> Bool) -> Int {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if holds(entries[middle].at) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
