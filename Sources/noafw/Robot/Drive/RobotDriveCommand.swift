import ArgumentParser
import OpenBotFamily
import Support
import Synchronization

/// `noafw robot drive`
struct RobotDriveCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "drive",
        abstract: "Drive a robot, and stop it whatever ends the drive.",
        discussion: """
            LEFT and RIGHT are the duties of both sides, from -255 (full speed backward) to 255; --for is required with them. \
            Without them, the arrow keys drive: hold a key to move, the space bar stops, q or Ctrl-C ends. A script has one motion a line: \
            LEFT RIGHT TIME.

            noafw does not drive a robot which does not say what it is, or whose battery is below its body's low voltage; for a body \
            that it does not know, it knows no low voltage. A hit bumper ends the drive.

            Examples:
              noafw robot drive 100 100 --for 2s
              noafw robot drive 255 -255 --for 500ms --speed slow
              noafw robot drive --script square.txt --log run-1
              noafw robot drive

            Exit codes: 0 the drive came to its end and the stop was delivered, 1 the robot refused, was hit, was kept still by its sonar or cannot be driven, \
            75 the link was lost or the stop not delivered, 130 interrupted, others as in noafw flash.
            """)

    /// Full speed, as in OpenBot's apps.
    enum Speed: String, ExpressibleByArgument, CaseIterable, Sendable {
        case slow, normal, fast

        var duty: Int {
            switch self {
            case .slow: 128
            case .normal: 192
            case .fast: 255
            }
        }
    }

    @OptionGroup(title: "Unit") var unit: UnitOptions
    @OptionGroup var limit: TimeLimit
    @OptionGroup var output: RobotOutputOptions
    @OptionGroup var logs: RobotLogOptions

    @Argument(parsing: .allUnrecognized, help: ArgumentHelp("The duties of the left and the right side.", valueName: "left right"))
    var duties: [String] = []

    @Option(name: .customLong("for"), help: ArgumentHelp("Drive for this long, such as 2s or 500ms.", valueName: "time"))
    var span: SpanOfTime?

    @Option(help: ArgumentHelp("Drive the motions of this file.", valueName: "file"), completion: .file())
    var script: InputName?

    @Option(help: "Scale the duties: slow to 128, normal to 192, fast to 255. The default is fast, with arrow keys normal.")
    var speed: Speed?

    func validate() throws {
        if let unknown = duties.first(where: { Int($0) == nil }) {
            throw ValidationError("\(unknown) is neither a duty nor an option of this command.")
        }
        guard duties.isEmpty || duties.count == 2 else { throw ValidationError("Give two duties: LEFT RIGHT.") }
        guard duties.isEmpty == (span == nil) else {
            throw ValidationError(duties.isEmpty ? "--for belongs to LEFT RIGHT." : "Give --for TIME: a drive needs an end.")
        }
        if script != nil, !duties.isEmpty { throw ValidationError("Give either LEFT RIGHT or --script.") }
    }

    func run(in context: CommandContext) async -> Int32 {
        let keys = RobotKeys(context: context)
        let given = Result { try motions(in: context) }
        let run = RobotRun(context: context, unit: unit, limit: limit, verb: "robot drive", isJSON: output.json, settle: { keys.close() })
        return await run.run(check: {
            if try given.get() == nil, !context.input.isTerminal { throw RobotCommandError.noMotion }
        }, { robot, report in
            let motions = try given.get()
            let files = try RobotLogs(logs, context: context, clock: robot.clock)
            let drive = RobotDrive(robot.session, reconnect: { try await robot.reconnect(false) }) { message in
                robot.readings.take(message, at: robot.clock.now)
                files.take(message)
            }
            report.voltage = try await drive.prepare()
            let most = (speed ?? (motions == nil ? .normal : .fast)).duty
            let ending = await drive.run(endsAtCollision: motions != nil) { steering in
                context.note("driving the robot: Ctrl-C stops it")
                guard let motions else {
                    return try await keys.run(clock: robot.clock) { duties in
                        files.told(duties.scaled(to: most))
                        steering.set(duties.scaled(to: most))
                    }
                }
                for motion in motions {
                    let duties = motion.duties.scaled(to: most)
                    files.told(duties)
                    try await steering.hold(duties, for: motion.span.duration)
                }
            }
            files.told(.still)
            report.stop = ending.stop
            if ending.lapses > 0 {
                context.note("the robot was fed late \(Format.count(ending.lapses, "time")): its dead-man may have stopped it in between")
            }
            let saved = Result { try files.save() }
            if let cause = ending.cause { throw cause }
            guard ending.stop.isDelivered else { throw RobotError.stopNotDelivered(milliseconds: ending.stop.deadManMilliseconds) }
            try saved.get()
            if let distance = ending.sonarStop { throw RobotError.keptStill(distance) }
        }, document: { RobotDocument($0, $1) }, show: { report, style in RobotText.drive(report, style) })
    }

    /// `nil` for arrow keys.
    private func motions(in context: CommandContext) throws -> [RobotMotion]? {
        if let script { return try RobotMotion.script(try InputFile.read(context.path(script), limit: RobotMotion.scriptLimit)) }
        let numbers = duties.compactMap { Int($0) }
        guard numbers.count == 2, let span else { return nil }
        return [RobotMotion(duties: Duties(left: numbers[0], right: numbers[1]), span: span)]
    }
}

/// Duties for a time.
struct RobotMotion: Sendable, Hashable {
    static let scriptLimit = 64 << 10
    private static let mostMotions = 1000

    var duties: Duties
    var span: SpanOfTime

    /// `LEFT RIGHT TIME` a line; `#` begins a comment.
    /// - Throws: ``RobotCommandError/badScript(line:reason:)``.
    static func script(_ bytes: [UInt8]) throws(RobotCommandError) -> [RobotMotion] {
        var motions: [RobotMotion] = []
        let text = String(decoding: InputFile.withoutByteOrderMark(bytes), as: UTF8.self)
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let words = line.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace).map(String.init)
            guard !words.isEmpty else { continue }
            func fault(_ reason: String) -> RobotCommandError { .badScript(line: index + 1, reason: reason) }
            guard words.count == 3 else { throw fault("it has \(words.count) words") }
            guard let left = Int(words[0]), let right = Int(words[1]) else { throw fault("its duties are not numbers") }
            guard [left, right].allSatisfy((-Duties.limit...Duties.limit).contains) else { throw fault("a duty is from -255 to 255") }
            guard let span = SpanOfTime(argument: words[2]) else { throw fault("its time is invalid") }
            guard motions.count < mostMotions else { throw fault("there are more than \(mostMotions) motions") }
            motions.append(RobotMotion(duties: Duties(left: left, right: right), span: span))
        }
        guard !motions.isEmpty else { throw .badScript(line: 1, reason: "the file has no motions") }
        return motions
    }
}
