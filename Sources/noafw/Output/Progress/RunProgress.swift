import Provisioning
import Support

/// What is known of a run from its events: a fold without a clock.
struct RunProgress: Sendable {
    struct Running: Sendable {
        var unit: FleetUnit
        var model = ProgressModel()
        var lines: ProgressLines
    }

    struct Ended: Sendable {
        var unit: FleetUnit
        var model: ProgressModel
        var result: UnitResult
        var seconds: Double
    }

    private(set) var total: Int?
    /// In the order of their starts.
    private(set) var running: [Running] = []
    private(set) var ended: [Ended] = []
    let isVerbose: Bool
    /// All events are the only unit's, whatever it is called so far.
    let isSingle: Bool

    init(isVerbose: Bool, isSingle: Bool = false) {
        (self.isVerbose, self.isSingle) = (isVerbose, isSingle)
        if isSingle { begin(Self.unnamed) }
    }

    private static let unnamed = FleetUnit(id: "")

    /// Of the only unit.
    var single: ProgressModel { running.first?.model ?? ProgressModel() }

    /// Whether the only unit has passed, whatever the run does yet.
    var singlePassed: Bool { isSingle && ended.contains { $0.result.verdict == .pass } }

    mutating func apply(_ event: RunEvent, at now: Duration) {
        switch event.content {
        case .planned(let units): total = units
        case .started:
            if let unit = event.unit { begin(unit) }
        case .job(let content):
            guard let unit = event.unit ?? running.first.flatMap({ isSingle ? $0.unit : nil }) else { return }
            let index = begin(unit)
            running[index].model.apply(JobEvent(unit: unit.address, time: .init(offset: now), content: content), at: now)
        case .recorded(let record):
            guard let unit = event.unit else { return }
            running[begin(unit)].model.record = record
        case .ended(let result, let seconds):
            guard let unit = event.unit else { return }
            let model = index(of: unit).map { running[$0].model } ?? ProgressModel()
            if !isSingle { running.removeAll { $0.unit.id == unit.id } }
            ended.append(Ended(unit: unit, model: model, result: result, seconds: seconds))
        case .notice: break
        }
    }

    /// The plain lines for an event that was taken in already, without the unit's name.
    mutating func lines(for event: RunEvent, at now: Duration) -> [String] {
        guard case .job(let content) = event.content, let index = index(of: event.unit) else { return [] }
        let jobEvent = JobEvent(unit: event.unit?.address, time: .init(offset: now), content: content)
        return running[index].lines.lines(for: jobEvent, running[index].model, at: now)
    }

    private func index(of unit: FleetUnit?) -> Int? { isSingle ? running.indices.first : running.firstIndex { $0.unit.id == unit?.id } }

    @discardableResult
    private mutating func begin(_ unit: FleetUnit) -> Int {
        if let index = index(of: unit) {
            running[index].unit = unit
            return index
        }
        running.append(Running(unit: unit, lines: ProgressLines(isVerbose: isVerbose)))
        return running.count - 1
    }

    func entries<Report>(_ report: Report.Type, interruption: Diagnosis) -> [FleetEntry<Report>] {
        ended.map { FleetEntry(unit: $0.unit, result: $0.result, seconds: $0.seconds, progress: $0.model) }
            + running.map { FleetEntry(unit: $0.unit, result: UnitResult(verdict: .interrupted, error: interruption), progress: $0.model) }
    }

    /// What was told of each unit.
    var models: [FleetUnit: ProgressModel] {
        Dictionary(ended.map { ($0.unit, $0.model) } + running.map { ($0.unit, $0.model) }) { first, _ in first }
    }
}
