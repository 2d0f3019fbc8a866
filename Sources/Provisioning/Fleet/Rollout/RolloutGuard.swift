import Support

/// Keeps a bad bundle from going through a shift: pure, told of each unit's end in turn.
///
/// Only failures that are the unit's own count. A unit that was current already counts neither way.
public struct RolloutGuard: Sendable {
    public struct Limits: Sendable, Hashable {
        /// Failures in a row with one code; 0 stops for none.
        public var inARow = 2
        /// Failures among the finished that are no reason yet, however few have finished.
        public var allowance = 2
        /// Of the finished units, 0…1; `nil` stops for no share.
        public var share: Double? = 0.05
        /// Before so many have finished their share says nothing.
        public var least = 5

        public init() {}
    }

    /// So many failures before the first units are proved are enough.
    private static let canaryAllowance = 2

    private let limits: Limits
    /// Units that still have to be proved one at a time.
    private var canaries: Int
    private var canaryFailures = 0
    private var row: (code: String, count: Int)?
    private var finished = 0
    private var failed = 0
    /// The reason for which no more units are started; it stays.
    public private(set) var stop: RolloutStop?

    /// - Parameter canary: units that have to be proved, one after the other, before others are started.
    public init(limits: Limits = Limits(), canary: Int = 0) {
        self.limits = limits
        canaries = max(0, canary)
    }

    /// Whether units may be started beside each other; until then one is started at a time.
    public var mayStartSeveral: Bool { canaries == 0 }

    /// What nothing was done to says nothing of the files.
    public mutating func note(_ result: UnitResult) {
        switch result {
        case .wasCurrent, .interrupted, .skipped, .inUse, .notReached, .notStarted: return
        case .passed: succeed()
        case .failed(let diagnosis):
            guard diagnosis.fault == .unit else { return }
            fail(diagnosis.code)
        }
    }

    private mutating func succeed() {
        row = nil
        canaries = max(0, canaries - 1)
        count(false)
    }

    private mutating func fail(_ code: String) {
        count(true)
        let inARow = row?.code == code ? (row?.count ?? 0) + 1 : 1
        row = (code, inARow)
        if limits.inARow > 0, inARow >= limits.inARow { halt(.repeated(code: code, count: inARow)) }
        guard !mayStartSeveral else { return }
        canaryFailures += 1
        if canaryFailures >= Self.canaryAllowance { halt(.canary(failed: canaryFailures, code: code)) }
    }

    private mutating func count(_ hasFailed: Bool) {
        finished += 1
        failed += hasFailed ? 1 : 0
        guard let share = limits.share, finished >= limits.least else { return }
        if Double(failed) > max(Double(limits.allowance), share * Double(finished)) { halt(.share(failed: failed, of: finished)) }
    }

    private mutating func halt(_ reason: RolloutStop) {
        if stop == nil { stop = reason }
    }
}
