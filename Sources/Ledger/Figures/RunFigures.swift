import Foundation

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
    public init(_ history: some Sequence<RunRecord>, since: UTCTime? = nil) {
        var tally = RunTally(since: since)
        for run in history { tally.add(run) }
        self.init(tally)
    }

    public init(_ tally: RunTally) {
        (runs, openRuns, units) = (tally.runs, tally.openRuns, tally.addresses.count)
        (first, last, outcomes) = (tally.first, tally.last, tally.outcomes)
        (yield, firstPass) = (tally.yield, tally.firstPass.yield)
        (days, stations) = (Self.named(tally.days), Self.named(tally.stations))
        stationDays = tally.stationDays.map { StationDay(day: $0.key.day, station: $0.key.station, yield: $0.value) }
            .sorted { $0.day == $1.day ? $0.station.isNumbered(before: $1.station) : $0.day < $1.day }
        codes = Pareto(counts: tally.codes)
        stages = tally.stages.sorted { ($0.value.place, $0.key) < ($1.value.place, $1.key) }
            .map { Stage(name: $0.key, durations: Durations($0.value.seconds)) }.filter { $0.durations.count > 0 }
        wholeRuns = Durations(tally.wholeRuns)
        let units = tally.units.values.sorted { $0.address < $1.address }
        slowest = Self.top(units) { $0.longest }
        mostRetried = Self.top(units) { Double($0.retries) }
    }

    private static func named(_ yields: [String: Yield]) -> [NamedYield] {
        yields.sorted { $0.key.isNumbered(before: $1.key) }.map { NamedYield(name: $0.key, yield: $0.value) }
    }

    private static func top(_ units: [Unit], by measure: (Unit) -> Double) -> [Unit] {
        let ranked = units.filter { measure($0) > 0 }.sorted { (measure($1), $0.address) < (measure($0), $1.address) }
        return Array(ranked.prefix(unitLimit))
    }
}

extension String {
    /// As a person sorts names with numbers: line-2 before line-10.
    func isNumbered(before other: String) -> Bool {
        let order = compare(other, options: .numeric)
        return order == .orderedSame ? self < other : order == .orderedAscending
    }
}
