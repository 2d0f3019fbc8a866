import Support

/// Why a robot cannot be reached or driven.
public enum RobotError: Error, Hashable, Sendable {
    /// ATT MTU − 3, in bytes.
    case payloadTooSmall(Int)
    /// No answer to `f`.
    case oldOrForeign
    /// V; the body's low voltage.
    case batteryLow(Double, low: Double)
    /// The body has a voltage divider, but reports nothing.
    case noVoltage
    case collided(Bumper)
    /// The stop lines did not reach the robot; the dead-man acts this long after the last one.
    case stopNotDelivered(milliseconds: Int)
    /// The drive ended with the link; a new link delivered the stop.
    case linkLost(reason: String, stopped: Bool)
    /// In cm.
    case keptStill(Int)
}

extension RobotError: DiagnosableError {
    public var diagnosis: Diagnosis {
        switch self {
        case .payloadTooSmall(let count):
            Diagnosis(
                "BOT-0001", .unitFailed, .radio, "the link to the robot takes only \(count) bytes at once",
                cause: "the MTU was not raised: the robot cuts its answers, and a cut one looks whole",
                remedy: "disconnect the robot from other programs, then run the same command again")
        case .oldOrForeign:
            Diagnosis(
                "BOT-0002", .unitFailed, .unit, "the robot does not answer what it is: old or foreign firmware",
                cause: "the sketch is older than April 2023, or not OpenBot's",
                remedy: "compile the present sketch with the robot's body and write it over the serial cable, as noafw flash explains")
        case .batteryLow(let volts, let low):
            Diagnosis(
                "BOT-0003", .unitFailed, .unit, "the robot's battery has \(volts) V, less than the \(low) V that its body needs to drive",
                cause: "the battery is empty, or its switch is off and the board runs from USB", remedy: "charge the battery")
        case .noVoltage:
            Diagnosis(
                "BOT-0004", .unitFailed, .unit, "the robot has a voltage sensor and reports no voltage",
                cause: "its firmware hangs, or reports were lost", remedy: "switch the robot off and on, then run the same command again")
        case .collided(let bumper):
            Diagnosis(
                "BOT-0005", .unitFailed, .unit, "the robot was hit at \(bumper.words), and stopped",
                cause: "something touches its bumper", remedy: "free the bumper, then run the same command again")
        case .stopNotDelivered(let milliseconds):
            Diagnosis(
                "BOT-0006", .tryAgain, .radio, "the stop did not reach the robot",
                cause: "the link was lost, or the robot took no line; its dead-man stops it \(milliseconds) ms after the last one",
                remedy: "look at the robot, and switch it off if it moves")
        case .linkLost(let reason, let stopped):
            Diagnosis(
                "BOT-0007", .tryAgain, .radio, "the link was lost while the robot was driven (\(reason))",
                cause: "the robot went out of range, lost power or restarted",
                remedy: stopped
                    ? "the robot was stopped over a new link; bring it closer, then run the same command again"
                    : "look at the robot; its dead-man has stopped it if it still has power")
        case .keptStill(let distance):
            Diagnosis(
                "BOT-0008", .unitFailed, .unit, "the robot did not go forward: its sonar sees something at \(distance) cm",
                cause: "its sketch keeps the motors still up to 10 cm", remedy: "free the way, or turn or drive backward")
        }
    }
}
