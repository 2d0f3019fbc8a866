import Support

/// Stops a bad bundle from going through a shift: a pure fold over the units' results.
///
/// Only failures of the unit itself count. A unit that was already current counts neither way.
public struct RolloutGuard: Sendable {
    public struct Limits: Sendable, Hashable {
        /// Consecutive failures with one code; 0 never stops.
        public var inARow = 2
        /// Failures that are tolerated, however few units have finished.
        public var allowance = 2
        /// Share of the finished units, 0…1; `nil` never stops.
        public var share: Double? = 0.05
        /// The share means nothing until this many have finished.
        public var least = 5

        public init() {}
    }

    /// This many failures before the first units pass are enough.
    private static let canaryAllowance = 2

    private let limits: Limits
    /// Units that still have to pass one at a time.
    private var canaries: Int
    private var canaryFailures = 0
    private var row: (code: String, count: Int)?
    private var finished = 0
    private var failed = 0
    public private(set) var stop: RolloutStop?

    /// - Parameter canary: units that must pass, one after the other, before others are started.
    public init(limits: Limits = Limits(), canary: Int = 0) {
        self.limits = limits
        canaries = max(0, canary)
    }

    /// Whether units may run in parallel; until then only one runs at a time.
    public var mayStartSeveral: Bool { canaries == 0 }

    /// A unit that was not changed says nothing about the files.
    public mutating func note(_ result: UnitResult) {
        switch result {
        case .wasCurrent, .planned, .interrupted, .skipped, .inUse, .notReached, .notStarted: return
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
