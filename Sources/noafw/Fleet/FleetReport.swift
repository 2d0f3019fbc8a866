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
    enum Ending: Sendable {
        case reported(Report)
        /// The work ended before there was a report.
        case failed(Diagnosis)
        /// It was asked for and not found.
        case notReached(Diagnosis)
        /// The run ended, or was stopped, before its turn came.
        case notStarted(Diagnosis)
        /// What the run compares with or writes is not for it.
        case notExpected(Diagnosis)
        /// Another station or another process works on it: nothing was done to it here.
        case inUse(Diagnosis)
        /// All that is known of a run that did not come to its end.
        case told(FleetVerdict, Diagnosis?)
    }

    var unit: FleetUnit
    var ending: Ending
    var seconds = 0.0
    /// The adapter's name.
    var adapter: String?
    /// What its events told; all that is known where there is no report.
    var progress = ProgressModel()
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
