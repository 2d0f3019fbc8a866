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
    var singlePassed: Bool { isSingle && ended.contains { $0.result.passed } }

    mutating func apply(_ event: RunEvent, at now: Duration) {
        switch event.content {
        case .units(let count): total = count
        case .place: break
        case .ended(let result, let seconds):
            guard let unit = event.unit else { return }
            let model = index(of: unit).map { running[$0].model } ?? ProgressModel()
            if !isSingle { running.removeAll { $0.unit.id == unit.id } }
            ended.append(Ended(unit: unit, model: model, result: result, seconds: seconds))
        case .notice where event.unit == nil: break
        default:
            guard let unit = event.unit ?? running.first.flatMap({ isSingle ? $0.unit : nil }) else { return }
            running[begin(unit)].model.apply(event, at: now)
        }
    }

    /// The plain lines for an event that was taken in already, without the unit's name.
    mutating func lines(for event: RunEvent, at now: Duration) -> [String] {
        guard let index = index(of: event.unit) else { return [] }
        return running[index].lines.lines(for: event, running[index].model, at: now)
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
        ended.map { FleetEntry(unit: $0.unit, result: $0.result, seconds: $0.seconds) }
            + running.map { FleetEntry(unit: $0.unit, result: .interrupted(interruption)) }
    }

    /// What was told of each unit, by its name.
    var models: [String: ProgressModel] {
        Dictionary(ended.map { ($0.unit.id, $0.model) } + running.map { ($0.unit.id, $0.model) }) { first, _ in first }
    }
}

extension RunEvent {
    /// Of what several units have and a single one has not.
    var isOfFleet: Bool {
        switch content {
        case .units, .started, .ended: true
        default: false
        }
    }
}
