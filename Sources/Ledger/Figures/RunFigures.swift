import Foundation

/// A report's figures, added run by run, so that no run is kept in memory.
public struct RunFigures: Sendable {
    /// Among runs that say something about their unit: those that passed, and those that failed by the unit's fault.
    public struct Yield: Sendable, Hashable {
        public var share = Share(0, of: 0)
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
        public var yield = Yield()
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
        public var longest = 0.0

        public var name: String { serial.map { "\($0) (\(address))" } ?? address }
    }

    public static let unitLimit = 10

    private let since: UTCTime?
    public private(set) var first: UTCTime?
    public private(set) var last: UTCTime?
    public private(set) var runs = 0
    public private(set) var openRuns = 0
    private var addresses: Set<String> = []
    public private(set) var outcomes: [RunOutcome: Int] = [:]
    public private(set) var yield = Yield()
    public private(set) var firstPass: FirstPassYield
    private var yields: [String: StationDay] = [:]
    private var counts: [String: Int] = [:]
    /// Seconds of the stages that passed: a failed one ended when it was given up.
    private var seconds: [String: [Double]] = [:]
    /// For each stage, the most other stages before it in a run.
    private var places: [String: Int] = [:]
    private var wholeSeconds: [Double] = []
    private var unitsByAddress: [String: Unit] = [:]

    /// - Parameters:
    ///   - history: in the order of writing.
    ///   - since: earlier runs only show which units were run before.
    public init(_ history: some Sequence<RunRecord> = [RunRecord](), since: UTCTime? = nil) {
        (self.since, firstPass) = (since, FirstPassYield(since: since))
        for run in history { add(run) }
    }

    public mutating func add(_ run: RunRecord) {
        firstPass.add(run)
        guard since.map({ run.startedAt >= $0 }) ?? true else { return }
        runs += 1
        addresses.insert(run.unitAddress)
        (first, last) = (min(first ?? run.startedAt, run.startedAt), max(last ?? run.startedAt, run.startedAt))
        guard let outcome = run.outcome else { return openRuns += 1 }
        outcomes[outcome, default: 0] += 1
        yield.add(run)
        let day = run.startedAt.day
        yields["\(day) \(run.station)", default: StationDay(day: day, station: run.station)].yield.add(run)
        addUnit(run)
        addSteps(run)
        guard outcome == .pass else { return counts[run.code ?? "no code", default: 0] += 1 }
        if let elapsed = run.elapsedMilliseconds { wholeSeconds.append(Double(elapsed) / 1000) }
    }

    private mutating func addSteps(_ run: RunRecord) {
        var met: [String] = []
        for step in run.steps {
            if !met.contains(step.name) {
                places[step.name] = max(places[step.name] ?? 0, met.count)
                met.append(step.name)
            }
            if step.outcome == .pass { seconds[step.name, default: []].append(Double(step.milliseconds) / 1000) }
        }
    }

    private mutating func addUnit(_ run: RunRecord) {
        var unit = unitsByAddress[run.unitAddress] ?? Unit(address: run.unitAddress)
        unit.serial = run.serial ?? unit.serial
        unit.runs += 1
        unit.retries &+= run.retries
        unit.longest = max(unit.longest, Double(run.elapsedMilliseconds ?? 0) / 1000)
        unitsByAddress[run.unitAddress] = unit
    }
}

extension RunFigures {
    public var units: Int { addresses.count }
    public var days: [NamedYield] { named(by: \.day) }
    public var stations: [NamedYield] { named(by: \.station) }
    public var stationDays: [StationDay] {
        yields.values.sorted { $0.day == $1.day ? $0.station.isNumbered(before: $1.station) : $0.day < $1.day }
    }
    public var codes: Pareto { Pareto(counts: counts) }
    /// In the order of a run.
    public var stages: [Stage] {
        let inOrder = seconds.sorted { (places[$0.key] ?? 0, $0.key) < (places[$1.key] ?? 0, $1.key) }
        return inOrder.map { Stage(name: $0.key, durations: Durations($0.value)) }.filter { $0.durations.count > 0 }
    }
    public var wholeRuns: Durations { Durations(wholeSeconds) }
    public var slowest: [Unit] { top { $0.longest } }
    public var mostRetried: [Unit] { top { Double($0.retries) } }

    private func named(by name: KeyPath<StationDay, String>) -> [NamedYield] {
        var sums: [String: Yield] = [:]
        for (_, part) in yields {
            let sum = sums[part[keyPath: name]] ?? Yield()
            let share = Share(sum.share.count + part.yield.share.count, of: sum.share.total + part.yield.share.total)
            sums[part[keyPath: name]] = Yield(share: share, runs: sum.runs + part.yield.runs)
        }
        return sums.sorted { $0.key.isNumbered(before: $1.key) }.map { NamedYield(name: $0.key, yield: $0.value) }
    }

    private func top(by measure: (Unit) -> Double) -> [Unit] {
        let ranked = unitsByAddress.values.filter { measure($0) > 0 }.sorted { (measure($1), $0.address) < (measure($0), $1.address) }
        return Array(ranked.prefix(Self.unitLimit))
    }
}

extension String {
    /// Sorts numbers in names as a person does: line-2 before line-10.
    func isNumbered(before other: String) -> Bool {
        let order = compare(other, options: .numeric)
        return order == .orderedSame ? self < other : order == .orderedAscending
    }
}
