/// What a report's figures are made of, gathered run by run: the runs themselves need not be held.
public struct RunTally: Sendable {
    struct Place: Hashable {
        var day: String
        var station: String
    }

    struct Stage {
        /// Of those that passed: how long a failed one took says when it was given up.
        var seconds: [Double] = []
        /// The place in the run that has the most other stages before it.
        var place = 0
    }

    private let since: UTCTime?
    private(set) var first: UTCTime?
    private(set) var last: UTCTime?
    private(set) var runs = 0
    private(set) var openRuns = 0
    private(set) var addresses: Set<String> = []
    private(set) var outcomes: [RunOutcome: Int] = [:]
    private(set) var yield = RunFigures.Yield()
    private(set) var firstPass: FirstPassYield.Tally
    private(set) var days: [String: RunFigures.Yield] = [:]
    private(set) var stations: [String: RunFigures.Yield] = [:]
    private(set) var stationDays: [Place: RunFigures.Yield] = [:]
    /// Of the runs that did not pass.
    private(set) var codes: [String: Int] = [:]
    private(set) var stages: [String: Stage] = [:]
    /// In seconds, of those that passed.
    private(set) var wholeRuns: [Double] = []
    private(set) var units: [String: RunFigures.Unit] = [:]

    /// - Parameter since: what began before only tells which units were run before.
    public init(since: UTCTime? = nil) { (self.since, firstPass) = (since, FirstPassYield.Tally(since: since)) }

    /// In the order of writing.
    public mutating func add(_ run: RunRecord) {
        firstPass.add(run)
        guard since.map({ run.startedAt >= $0 }) ?? true else { return }
        runs += 1
        addresses.insert(run.unitAddress)
        (first, last) = (min(first ?? run.startedAt, run.startedAt), max(last ?? run.startedAt, run.startedAt))
        guard let outcome = run.outcome else {
            openRuns += 1
            return
        }
        outcomes[outcome, default: 0] += 1
        addYield(run)
        addUnit(run)
        addSteps(run)
        if outcome != .pass { codes[run.code ?? "no code", default: 0] += 1 }
        if outcome == .pass, let elapsed = run.elapsedMilliseconds { wholeRuns.append(Double(elapsed) / 1000) }
    }

    private mutating func addYield(_ run: RunRecord) {
        let day = run.startedAt.day
        yield.add(run)
        days[day, default: .init()].add(run)
        stations[run.station, default: .init()].add(run)
        stationDays[Place(day: day, station: run.station), default: .init()].add(run)
    }

    private mutating func addSteps(_ run: RunRecord) {
        var met: [String] = []
        for step in run.steps {
            if !met.contains(step.name) {
                stages[step.name, default: Stage()].place = max(stages[step.name]?.place ?? 0, met.count)
                met.append(step.name)
            }
            if step.outcome == .pass { stages[step.name, default: Stage()].seconds.append(Double(step.milliseconds) / 1000) }
        }
    }

    private mutating func addUnit(_ run: RunRecord) {
        var unit = units[run.unitAddress] ?? RunFigures.Unit(address: run.unitAddress)
        unit.serial = run.serial ?? unit.serial
        unit.runs += 1
        unit.retries &+= run.retries
        unit.longest = max(unit.longest, Double(run.elapsedMilliseconds ?? 0) / 1000)
        units[run.unitAddress] = unit
    }
}
