import Synchronization

/// Makes identities that grow, whatever the clock does: within a millisecond, or while the clock was set back, the last one is
/// counted up by a random step (RFC 9562, section 6.2, method 2).
public final class RunIDGenerator: Sendable {
    private struct Last {
        var milliseconds: UInt64 = 0
        var first: UInt64 = 0
        var second: UInt64 = 0
    }

    private let now: @Sendable () -> UTCTime
    private let random: @Sendable () -> UInt64
    private let last = Mutex(Last())

    public init(
        now: @escaping @Sendable () -> UTCTime = { .now },
        random: @escaping @Sendable () -> UInt64 = { .random(in: .min ... .max) }
    ) {
        (self.now, self.random) = (now, random)
    }

    public func next() -> RunID {
        let milliseconds = UInt64(max(0, now().microseconds / 1000))
        return last.withLock { last in
            if milliseconds > last.milliseconds {
                begin(milliseconds, &last)
            } else {
                count(&last)
            }
            return RunID(milliseconds: last.milliseconds, first: last.first, second: last.second)
        }
    }

    private func begin(_ milliseconds: UInt64, _ last: inout Last) {
        last = Last(milliseconds: milliseconds, first: random() & 0xFFF, second: random() & (.max >> 2))
    }

    private func count(_ last: inout Last) {
        last.second += 1 + random() & 0xFFFF_FFFF
        guard last.second > .max >> 2 else { return }
        last.second &= .max >> 2
        last.first += 1
        if last.first > 0xFFF { begin(last.milliseconds + 1, &last) }
    }
}
