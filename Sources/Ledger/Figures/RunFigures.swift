/// The figures of a report: everything that its text and its page show.
public struct RunFigures: Sendable {
    /// Of runs that tell something of their unit: those that passed, and those that failed by the unit's fault.
    public struct Yield: Sendable, Hashable {
        public var share = Share(0, of: 0)
        /// All runs that ended, with those that tell nothing of their unit.
        public var runs = 0

        mutating func add(_ run: RunRecord) {
            runs += 1
            guard run.blame == nil || run.blame == .unit else { return }
            share.total += 1
            if run.outcome == .pass { share.count += 1 }
        }
    }

    public struct NamedYield: Sendable, Hashable {
        public var name: String
        public var yield: Yield
    }

    public struct StationDay: Sendable, Hashable {
        public var day: String
        public var station: String
        public var yield: Yield
    }

    public struct Stage: Sendable, Hashable {
        public var name: String
        /// In seconds.
        public var durations: Durations
    }

    public struct Unit: Sendable, Hashable {
        public var address: String
        public var serial: String?
        public var runs = 0
        public var retries = 0
        /// The longest run, in seconds.
        public var longest = 0.0

        public var name: String { serial.map { "\($0) (\(address))" } ?? address }
    }

    /// Units that are listed one by one.
    public static let unitLimit = 10

    public let first: UTCTime?
    public let last: UTCTime?
    /// All, open ones included.
    public let runs: Int
    public let openRuns: Int
    public let units: Int
    public let outcomes: [RunOutcome: Int]
    public let yield: Yield
    public let firstPass: FirstPassYield
    /// In the order of time.
    public let days: [NamedYield]
    /// By name.
    public let stations: [NamedYield]
    public let stationDays: [StationDay]
    /// Of the runs that did not pass.
    public let codes: Pareto
    /// In the order in which runs go through them.
    public let stages: [Stage]
    public let wholeRuns: Durations
    public let slowest: [Unit]
    public let mostRetried: [Unit]

    /// - Parameters:
    ///   - history: in the order of writing.
    ///   - since: what began before only tells which units were run before.
    public init(_ history: [RunRecord], since: UTCTime? = nil) {
        let all = history.filter { run in since.map { run.startedAt >= $0 } ?? true }
        let closed = all.filter { !$0.isOpen }
        (runs, openRuns, units) = (all.count, all.count - closed.count, Set(all.map(\.unitAddress)).count)
        (first, last) = (all.map(\.startedAt).min(), all.map(\.startedAt).max())
        outcomes = closed.reduce(into: [:]) { counts, run in run.outcome.map { counts[$0, default: 0] += 1 } }
        yield = closed.reduce(into: Yield()) { $0.add($1) }
        firstPass = FirstPassYield(history, since: since)
        days = Self.yields(closed) { $0.startedAt.day }
        stations = Self.yields(closed) { $0.station }
        stationDays = Self.stationDays(closed)
        codes = Pareto(closed.compactMap { $0.outcome == .pass ? nil : $0.code ?? "no code" })
        stages = Self.stages(closed)
        wholeRuns = Durations(closed.compactMap { $0.outcome == .pass ? $0.elapsedMilliseconds.map { Double($0) / 1000 } : nil })
        let units = Self.units(closed)
        slowest = Self.top(units) { $0.longest }
        mostRetried = Self.top(units) { Double($0.retries) }
    }

    private static func yields(_ runs: [RunRecord], by name: (RunRecord) -> String) -> [NamedYield] {
        let yields = runs.reduce(into: [String: Yield]()) { $0[name($1), default: Yield()].add($1) }
        return yields.sorted { $0.key < $1.key }.map { NamedYield(name: $0.key, yield: $0.value) }
    }

    private static func stationDays(_ runs: [RunRecord]) -> [StationDay] {
        struct Place: Hashable {
            var day: String
            var station: String
        }
        let yields = runs.reduce(into: [Place: Yield]()) { $0[Place(day: $1.startedAt.day, station: $1.station), default: Yield()].add($1) }
        return yields.map { StationDay(day: $0.key.day, station: $0.key.station, yield: $0.value) }
            .sorted { ($0.day, $0.station) < ($1.day, $1.station) }
    }

    /// Of steps that passed: how long a failed one took says when it was given up.
    private static func stages(_ runs: [RunRecord]) -> [Stage] {
        var seconds: [String: [Double]] = [:]
        var places: [String: Int] = [:]
        for run in runs {
            var met: [String] = []
            for step in run.steps where !met.contains(step.name) {
                // The place in the run that has the most other stages before it.
                places[step.name] = max(places[step.name] ?? 0, met.count)
                met.append(step.name)
            }
            for step in run.steps where step.outcome == .pass { seconds[step.name, default: []].append(Double(step.milliseconds) / 1000) }
        }
        return seconds.sorted { (places[$0.key] ?? 0, $0.key) < (places[$1.key] ?? 0, $1.key) }
            .map { Stage(name: $0.key, durations: Durations($0.value)) }
    }

    private static func units(_ runs: [RunRecord]) -> [Unit] {
        let units = runs.reduce(into: [String: Unit]()) { units, run in
            var unit = units[run.unitAddress] ?? Unit(address: run.unitAddress)
            unit.serial = run.serial ?? unit.serial
            unit.runs += 1
            unit.retries += run.retries
            unit.longest = max(unit.longest, Double(run.elapsedMilliseconds ?? 0) / 1000)
            units[run.unitAddress] = unit
        }
        return units.values.sorted { $0.address < $1.address }
    }

    private static func top(_ units: [Unit], by measure: (Unit) -> Double) -> [Unit] {
        let ranked = units.filter { measure($0) > 0 }.sorted { (measure($1), $0.address) < (measure($0), $1.address) }
        return Array(ranked.prefix(unitLimit))
    }
}
