import Bluetooth
import Support

public enum UnitResult: Sendable, Hashable {
    case passed
    /// Passed with nothing to do, which says nothing about the files.
    case wasCurrent
    /// A dry run found what to update: nothing was done, and the unit is not as it should be.
    case planned
    case failed(Diagnosis)
    case interrupted(Diagnosis)
    /// Nothing was done: the run's files are not for it.
    case skipped(Diagnosis)
    /// Nothing was done: another station or process works on it.
    case inUse(Diagnosis)
    /// No adapter heard it in time.
    case notReached(Diagnosis)
    case notStarted(Diagnosis)

    /// For work that ended with an error.
    public init(_ error: Diagnosis) { self = error.category == .interrupted ? .interrupted(error) : .failed(error) }

    /// Whether nothing is wrong, as far as the run went.
    public var passed: Bool { error == nil }

    public var error: Diagnosis? {
        switch self {
        case .passed, .wasCurrent, .planned: nil
        case .failed(let error), .interrupted(let error), .skipped(let error), .inUse(let error), .notReached(let error),
            .notStarted(let error):
            error
        }
    }

    public var isSkipped: Bool { if case .skipped = self { true } else { false } }
}

/// One unit in a run, as an operator knows it.
public struct FleetUnit: Sendable, Hashable {
    /// As in the command line or the list, else its address.
    public var id: String
    /// `nil` until a unit requested by name is found.
    public var address: DeviceAddress?
    public var family: FamilyID?

    public init(id: String, address: DeviceAddress? = nil, family: FamilyID? = nil) {
        (self.id, self.address, self.family) = (id, address, family)
    }

    public init(_ unit: DiscoveredUnit) { self.init(id: "\(unit.address)", address: unit.address, family: unit.family) }
}

public struct FleetEntry<Report: Sendable>: Sendable {
    public var unit: FleetUnit
    public var result: UnitResult
    /// `nil` if the work threw, did not end, or was not started.
    public var report: Report?
    /// Duration of the work.
    public var seconds: Double
    public var adapter: String?

    public init(unit: FleetUnit, result: UnitResult, report: Report? = nil, seconds: Double = 0, adapter: String? = nil) {
        (self.unit, self.result, self.report, self.seconds, self.adapter) = (unit, result, report, seconds, adapter)
    }
}

public struct FleetReport<Report: Sendable>: Sendable {
    /// In the order requested or found.
    public var entries: [FleetEntry<Report>]
    /// Why no more units were started; `nil` if all had their turn.
    public var stop: Diagnosis?

    public init(entries: [FleetEntry<Report>], stop: Diagnosis? = nil) { (self.entries, self.stop) = (entries, stop) }

    /// Skipped units neither pass nor fail it.
    public var passed: Bool {
        let expected = entries.filter { !$0.result.isSkipped }
        return stop == nil && !expected.isEmpty && expected.allSatisfy(\.result.passed)
    }
}
