import ArgumentParser
import OpenBotFamily

/// `noafw robot`
struct RobotCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "robot",
        abstract: "Identify, watch, drive and test an OpenBot.",
        discussion: """
            A drive arms the robot's dead-man before the first motion. Whatever ends the drive stops the robot: its end, \
            Ctrl-C, an error, a time-out, the end of the input, a lost link. noafw says whether the stop was delivered. If noafw \
            itself dies, the dead-man stops the robot within 0.4 s.

            Put the robot on a stand, with its wheels in the air, before you drive or test it.

            Examples:
              noafw robot info
              noafw robot watch --for 10s --csv readings.csv
              noafw robot drive 100 100 --for 2s
              noafw robot test --json
              noafw robot drive --virtual openbot
              noafw robot image openbot.ino.bin
            """,
        subcommands: [
            RobotInfoCommand.self, RobotWatchCommand.self, RobotDriveCommand.self, RobotLightsCommand.self, RobotIndicateCommand.self,
            RobotTestCommand.self, RobotImageCommand.self,
        ])
}

/// `noafw robot info`
struct RobotInfoCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Show what a robot is: its body, its features, its battery.",
        discussion: """
            The robot's firmware reports no version over Bluetooth. A robot that does not answer has firmware older than \
            April 2023, or foreign firmware.

            Examples:
              noafw robot info
              noafw robot info --virtual openbot --json

            Exit codes: 0 the robot answered, 1 it did not, 69 no robot is in reach, others as in noafw flash.
            """)

    @OptionGroup(title: "Unit") var unit: UnitOptions
    @OptionGroup var limit: TimeLimit
    @OptionGroup var output: RobotOutputOptions

    func run(in context: CommandContext) async -> Int32 {
        await RobotRun(context: context, unit: unit, limit: limit, verb: "robot info", isJSON: output.json).run({ robot, report in
            report.voltage = try await robot.session.firstVoltage()
            if robot.session.features == nil { throw RobotError.oldOrForeign }
        }, document: { RobotDocument($0, $1) }, show: { report, style in RobotText.info(report, style) })
    }
}

/// `noafw robot lights`
struct RobotLightsCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "lights",
        abstract: "Set a robot's front and back lights, and its status LEDs.",
        discussion: """
            Examples:
              noafw robot lights 255 80
              noafw robot lights 0 0 --status yellow

            The lights stay as set until the robot is driven or switched off.
            """)

    @OptionGroup(title: "Unit") var unit: UnitOptions
    @OptionGroup var limit: TimeLimit
    @OptionGroup var output: RobotOutputOptions

    @Argument(help: "Brightness of the front lights, 0 to 255.")
    var front: Int

    @Argument(help: "Brightness of the back lights, 0 to 255.")
    var back: Int

    @Option(help: ArgumentHelp("Turn this status LED on, and the others off: yellow, green, blue or none.", valueName: "led"))
    var status: String?

    func validate() throws {
        guard [front, back].allSatisfy({ (0...255).contains($0) }) else { throw ValidationError("A brightness is a number from 0 to 255.") }
        guard status == nil || status == "none" || Self.led(status) != nil else {
            throw ValidationError("--status is yellow, green, blue or none.")
        }
    }

    private static func led(_ name: String?) -> RobotLine.StatusLED? { RobotLine.StatusLED.allCases.first { "\($0)" == name } }

    func run(in context: CommandContext) async -> Int32 {
        var lines: [(RobotFeatures.Feature, RobotLine)] = [(.frontLights, .lights(front: Brightness(front), back: Brightness(back)))]
        if let status {
            lines += RobotLine.StatusLED.allCases.map { (.statusLEDs, .status($0, isOn: "\($0)" == status)) }
        }
        return await RobotRun(context: context, unit: unit, limit: limit, verb: "robot lights", isJSON: output.json).run({ [lines] robot, report in
            for (feature, line) in lines {
                report.sent += [try await robot.send(line, needing: feature, or: feature == .frontLights ? .backLights : nil)]
            }
        }, document: { RobotDocument($0, $1) }, show: { report, style in RobotText.sent(report, style) })
    }
}

/// `noafw robot indicate`
struct RobotIndicateCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "indicate",
        abstract: "Set a robot's indicators: left, right, both or off.",
        discussion: """
            Example:
              noafw robot indicate left
            """)

    enum Side: String, ExpressibleByArgument, CaseIterable, Sendable { case left, right, both, off }

    @OptionGroup(title: "Unit") var unit: UnitOptions
    @OptionGroup var limit: TimeLimit
    @OptionGroup var output: RobotOutputOptions

    @Argument(help: "left, right, both or off.")
    var side: Side

    func run(in context: CommandContext) async -> Int32 {
        let line = RobotLine.indicators(left: side == .left || side == .both, right: side == .right || side == .both)
        let run = RobotRun(context: context, unit: unit, limit: limit, verb: "robot indicate", isJSON: output.json)
        return await run.run({ robot, report in
            report.sent += [try await robot.send(line, needing: .indicators)]
        }, document: { RobotDocument($0, $1) }, show: { report, style in RobotText.sent(report, style) })
    }
}
