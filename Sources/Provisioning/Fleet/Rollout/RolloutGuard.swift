import Support

/// Keeps a bad bundle from going through a shift: pure, told of each unit's end in turn.
public struct RolloutGuard: Sendable {
    public struct Limits: Sendable, Hashable {
        /// Failures in a row with one code; 0 stops for none.
        public var inARow = 2
        /// Failures among the finished that are no reason yet, however few have finished.
        public var allowance = 2
        /// Of the finished units, 0…1.
        public var share = 0.05
        /// Before so many have finished their share says nothing.
        public var least = 5
        /// The share is taken over so many of the last finished; `nil` is all.
        public var window: Int?
        /// Whether a share stops at all.
        public var stopsByShare = true

        public init() {}
    }

    public private(set) var stop: RolloutStop?

    /// - Parameter canary: units that have to be proved before ``mayStartSeveral``.
    public init(limits: Limits = Limits(), canary: Int = 0) {}

    /// Whether units may be started beside each other; until then one is started at a time.
    public var mayStartSeveral: Bool { true }

    public mutating func note(_ judgement: FleetJudgement) {}
}
