import Support

/// Errors of a robot's verbs that are not the robot's.
enum RobotCommandError: Error, Hashable, Sendable {
    case noFeature(String, body: String)
    case nothingTested
    case testFailed([String])
    case interrupted
    /// An invalid line in a file of motions.
    case badScript(line: Int, reason: String)
    /// Arrow keys without a terminal.
    case noMotion
}

extension RobotCommandError: DiagnosableError {
    var diagnosis: Diagnosis {
        switch self {
        case .noFeature(let feature, let body):
            Diagnosis(
                "NOA-0090", .usage, nil, "the robot has no \(feature): its body is \(body)",
                cause: "its firmware was compiled for a body without them", remedy: "see with noafw robot info what the robot has")
        case .nothingTested:
            Diagnosis(
                "NOA-0091", .unitFailed, .unit, "no part of the robot was tested", cause: "the test ended before its first check",
                remedy: "run the same command again")
        case .testFailed(let checks):
            Diagnosis(
                "NOA-0092", .unitFailed, .unit, "the robot failed: \(checks.joined(separator: ", "))",
                cause: "the checks above say what was expected", remedy: "repair the robot, then run the same command again")
        case .interrupted:
            Diagnosis(
                "NOA-0093", .interrupted, nil, "interrupted; a robot that was moving was stopped, or its dead-man stops it",
                cause: "noafw received a signal",
                remedy: "look at the robot; without a line about the stop above, switch it off and on before a phone drives it")
        case .badScript(let line, let reason):
            Diagnosis(
                "NOA-0094", .badData, nil, "line \(line) of the motions is not a motion: \(reason)",
                cause: "a line is LEFT RIGHT TIME, such as: 100 -100 1.5s", remedy: "correct the line, then run the same command again")
        case .noMotion:
            Diagnosis(
                "NOA-0095", .usage, nil, "there is no motion to drive",
                cause: "arrow keys need a terminal, and neither duties nor a file were given",
                remedy: "give LEFT RIGHT --for TIME, or --script FILE")
        }
    }
}
