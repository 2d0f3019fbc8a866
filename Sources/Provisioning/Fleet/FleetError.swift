import Bluetooth
import Support

/// Why a unit in a fleet has no result of its own.
public enum FleetError: Error, Sendable, Hashable {
    /// The argument names what was looked for.
    case notReached(FleetTarget.Place, listened: Duration)
    /// Another unit in the list turned out to be the same one.
    case sameUnit(DeviceAddress)
    /// The work neither ended nor stopped when cancelled.
    case hung(after: Duration)
    case notStarted(RolloutStop)
    case drained
    case interrupted
    case noAdapterLeft
    /// A line's shift ended before any unit was worked on.
    case noneCame
}

extension FleetTarget.Place: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unit(let unit): unit.address.description
        case .address(let address): address.description
        case .name(let name): name
        }
    }
}

extension FleetError: DiagnosableError {
    public var diagnosis: Diagnosis {
        switch self {
        case .notReached(let target, let listened):
            Diagnosis(
                "FLT-0001", .unavailable, .radio,
                "\(target) was not heard within \(listened.components.seconds) s of listening",
                cause: "it is off, asleep on a charger, out of range or connected to another host",
                remedy: "wake the unit, take it off the charger, close the phone app, and run the command again")
        case .sameUnit(let address):
            Diagnosis(
                "FLT-0002", .usage, nil, "\(address) was asked for twice",
                cause: "the list has the unit by its address and by its name", remedy: "remove one of the two lines")
        case .hung(let timeout):
            Diagnosis(
                "FLT-0003", .tryAgain, .station,
                "the work on the unit did not end within \(timeout.components.seconds) s",
                cause: "a fault in noafw, or this machine is overloaded",
                remedy: "run the same command again; if it fails again, report it with the output of -v")
        case .notStarted(let stop):
            Diagnosis(
                "FLT-0004", .tryAgain, nil, "the unit was not started: \(stop.reason)",
                cause: "the run was stopped, so that one fault does not go through all units", remedy: stop.remedy)
        case .drained:
            Diagnosis(
                "FLT-0005", .interrupted, nil, "the unit was not started: the run was ended",
                cause: "the operator asked for an orderly end", remedy: "run the same command again")
        case .interrupted:
            Diagnosis(
                "FLT-0006", .interrupted, nil, "the unit was not started: the run was interrupted",
                cause: "the run was cancelled", remedy: "run the same command again")
        case .noAdapterLeft:
            Diagnosis(
                "FLT-0007", .unavailable, .station, "the unit was not started: no adapter is left",
                cause: "each adapter failed several units by its radio, or is gone",
                remedy: "check the adapters with noafw doctor; replug them, and run the same command again")
        case .noneCame:
            Diagnosis(
                "FLT-0008", .unavailable, nil, "the line ended before a unit was worked on",
                cause: "no unit lay at the place for 2 s, alone and near enough, or none of the listed ones was heard",
                remedy:
                    "if one lay there, see its strength with noafw scan; lower the threshold with --near, or list its address with "
                        + "--devices"
            )
        }
    }
}
