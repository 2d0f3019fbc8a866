import Support

@testable import OpenBotFamily
@testable import noafw

extension Examples {
    static let robot = CataloguedErrors([
        RobotError.payloadTooSmall(20), .oldOrForeign, .batteryLow(8.5, low: 9), .noVoltage, .collided(Bumper(code: "lf")),
        .stopNotDelivered(milliseconds: 400), .linkLost(reason: reason, stopped: true), .keptStill(6),
    ])

    static let robotCommand = CataloguedErrors([
        RobotCommandError.noFeature("FEATURE", body: "BODY"), .nothingTested, .testFailed(["CHECK"]), .interrupted,
        .badScript(line: 3, reason: reason), .noMotion,
    ])
}
