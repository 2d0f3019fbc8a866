import Bluetooth
import Provisioning
import Support

/// One unit of a fleet, as it is told to an operator.
struct FleetUnit: Sendable, Hashable {
    /// As the command line or the list names it, else its address.
    var id: String
    /// `nil` until a unit that was asked for by its name is found.
    var address: DeviceAddress?
    var family: FamilyID?
}

/// What became of one unit of a fleet.
struct FleetEntry<Report: Verdict>: Sendable {
    var unit: FleetUnit
    var result: UnitResult
    /// `nil` where the work did not come to one.
    var report: Report?
    var seconds = 0.0
    /// The adapter's name.
    var adapter: String?
    /// What its events told; all that is known where there is no report.
    var progress = ProgressModel()

    var verdict: FleetVerdict { result.verdict }
    var error: Diagnosis? { result.error }
}

extension FleetEntry {
    init(unit: FleetUnit, report: Report, seconds: Double = 0, adapter: String? = nil, progress: ProgressModel = ProgressModel()) {
        self.init(unit: unit, result: UnitResult(report), report: report, seconds: seconds, adapter: adapter, progress: progress)
    }
}

/// What became of a fleet.
struct FleetReport<Report: Verdict>: Verdict {
    /// In the order in which they were asked for, or found.
    var entries: [FleetEntry<Report>]
    /// Why no more units were started; `nil` where all had their turn.
    var stop: Diagnosis?

    /// Takes in what the units' events told.
    mutating func know(_ models: [FleetUnit: ProgressModel]) {
        for index in entries.indices { models[entries[index].unit].map { entries[index].progress = $0 } }
    }

    /// Units that nobody expected neither pass nor fail it.
    var passed: Bool {
        let expected = entries.filter { $0.verdict != .notExpected }
        return stop == nil && !expected.isEmpty && expected.allSatisfy { $0.verdict == .pass }
    }
}
