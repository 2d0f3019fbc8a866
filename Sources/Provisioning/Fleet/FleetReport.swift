import Bluetooth
import Support

/// What became of a unit.
public enum UnitResult: Sendable, Hashable {
    case passed
    /// It passed, and nothing had to be done: it says nothing about the files.
    case wasCurrent
    case failed(Diagnosis)
    case interrupted(Diagnosis)
    /// Nothing was done: the run's files are not for it.
    case skipped(Diagnosis)
    /// Nothing was done: another station or another process works on it.
    case inUse(Diagnosis)
    /// No adapter heard it in time.
    case notReached(Diagnosis)
    case notStarted(Diagnosis)

    /// Of work that ended with an error.
    public init(_ error: Diagnosis) { self = error.category == .interrupted ? .interrupted(error) : .failed(error) }

    public var passed: Bool { error == nil }

    public var error: Diagnosis? {
        switch self {
        case .passed, .wasCurrent: nil
        case .failed(let error), .interrupted(let error), .skipped(let error), .inUse(let error), .notReached(let error),
            .notStarted(let error):
            error
        }
    }

    public var isSkipped: Bool { if case .skipped = self { true } else { false } }
}

/// One unit of a run, as an operator knows it.
public struct FleetUnit: Sendable, Hashable {
    /// As the command line or the list names it, else its address.
    public var id: String
    /// `nil` until a unit that was asked for by its name is found.
    public var address: DeviceAddress?
    public var family: FamilyID?

    public init(id: String, address: DeviceAddress? = nil, family: FamilyID? = nil) {
        (self.id, self.address, self.family) = (id, address, family)
    }

    public init(_ unit: DiscoveredUnit) { self.init(id: "\(unit.address)", address: unit.address, family: unit.family) }
}

/// What became of one unit that was asked for.
public struct FleetEntry<Report: Sendable>: Sendable {
    public var unit: FleetUnit
    public var result: UnitResult
    /// `nil` when the work threw, did not end, or was not begun.
    public var report: Report?
    /// Of the work.
    public var seconds: Double
    /// The name of the adapter that it was worked on with.
    public var adapter: String?

    public init(unit: FleetUnit, result: UnitResult, report: Report? = nil, seconds: Double = 0, adapter: String? = nil) {
        (self.unit, self.result, self.report, self.seconds, self.adapter) = (unit, result, report, seconds, adapter)
    }
}

/// What became of a run.
public struct FleetReport<Report: Sendable>: Sendable {
    /// In the order in which the units were asked for, or found.
    public var entries: [FleetEntry<Report>]
    /// Why no more units were started; `nil` where all had their turn.
    public var stop: Diagnosis?

    public init(entries: [FleetEntry<Report>], stop: Diagnosis? = nil) { (self.entries, self.stop) = (entries, stop) }

    /// Skipped units neither pass nor fail it.
    public var passed: Bool {
        let expected = entries.filter { !$0.result.isSkipped }
        return stop == nil && !expected.isEmpty && expected.allSatisfy(\.result.passed)
    }
}
