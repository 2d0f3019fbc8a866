/// Who sleeps until when, the earliest first; of two at one time the one that was added first.
struct SleeperQueue {
    struct Sleeper {
        let id: UInt64
        let wake: Duration
        let continuation: CheckedContinuation<Void, any Error>
    }

    /// The latest first: the earliest is taken from the end, where most are added, too.
    private var sleepers: [Sleeper] = []

    var isEmpty: Bool { sleepers.isEmpty }
    var count: Int { sleepers.count }
    var first: Sleeper? { sleepers.last }

    mutating func removeFirst() -> Sleeper { sleepers.removeLast() }

    mutating func insert(_ sleeper: Sleeper) { sleepers.insert(sleeper, at: place { $0.wake <= sleeper.wake }) }

    /// - Returns: `nil` for one that has been woken.
    mutating func remove(_ id: UInt64, waking wake: Duration) -> Sleeper? {
        var index = place { $0.wake <= wake }
        while index < sleepers.count, sleepers[index].wake == wake {
            if sleepers[index].id == id { return sleepers.remove(at: index) }
            index += 1
        }
        return nil
    }

    /// The first place from which on it holds.
    private func place(where holds: (Sleeper) -> Bool) -> Int {
        var (low, high) = (0, sleepers.count)
        while low < high {
            let middle = (low + high) / 2
            if holds(sleepers[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
