public struct Share: Sendable, Hashable {
    public var count: Int
    public var total: Int

    public init(_ count: Int, of total: Int) { (self.count, self.total) = (count, total) }

    public var value: Double? { total > 0 ? Double(count) / Double(total) : nil }

    /// The interval that holds the true share in 95 of 100 cases (E. B. Wilson, 1927); 0 to 1 without data.
    public var interval: ClosedRange<Double> {
        guard total > 0 else { return 0...1 }
        let (z, n) = (1.959_963_984_540_054, Double(total))
        let share = Double(count) / n
        let middle = (share + z * z / (2 * n)) / (1 + z * z / n)
        let half = z / (1 + z * z / n) * (share * (1 - share) / n + z * z / (4 * n * n)).squareRoot()
        // At the ends rounding makes the formula miss 0 and 1.
        return (count == 0 ? 0 : max(0, middle - half))...(count == total ? 1 : min(1, middle + half))
    }
}

/// The first-pass yield: the share that passed among units run for the first time. Repetitions never improve it.
///
/// A run that failed by the fault of a station, the radio, an input or an operator says nothing about its unit: it is counted separately,
/// and the unit's next run is its first.
public struct FirstPassYield: Sendable, Hashable {
    public var units: Share { verbs.values.reduce(Share(0, of: 0)) { Share($0.count + $1.count, of: $0.total + $1.total) } }
    public private(set) var verbs: [String: Share] = [:]
    /// Runs that say nothing about their unit, by whose fault they were.
    public private(set) var excluded: [Blame: Int] = [:]
    private let since: UTCTime?
    /// By station, family, verb and unit.
    private var known: Set<[String]> = []

    /// - Parameters:
    ///   - runs: in the order of opening; open ones do not count.
    ///   - since: earlier runs only show which units were run before.
    public init(_ runs: some Sequence<RunRecord> = [RunRecord](), since: UTCTime? = nil) {
        self.since = since
        for run in runs { add(run) }
    }

    mutating func add(_ run: RunRecord) {
        guard let outcome = run.outcome else { return }
        let counts = since.map { run.startedAt >= $0 } ?? true
        if let blame = run.blame, blame != .unit {
            if counts { excluded[blame, default: 0] += 1 }
            return
        }
        guard known.insert([run.station, run.family, run.verb, run.unitAddress]).inserted, counts else { return }
        verbs[run.verb, default: Share(0, of: 0)].total += 1
        if outcome == .pass { verbs[run.verb]?.count += 1 }
    }

    /// Named; one per verb if there are several, because verify later finds the units that flash made.
    public var named: [(name: String, share: Share)] {
        guard verbs.count > 1 else { return [("First-pass yield", units)] }
        return verbs.sorted { $0.key < $1.key }.map { ("First-pass yield, \($0.key)", $0.value) }
    }
}
