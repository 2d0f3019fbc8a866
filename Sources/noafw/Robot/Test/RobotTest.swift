import OpenBotFamily
import Support
import Synchronization

/// Tests a robot whose wheels are in the air. Each check uses the robot's reports, or an acknowledged line.
struct RobotTest: Sendable {
    /// A motion of one side.
    private struct Turn: Sendable {
        var name: String
        var duties: Duties
        var isLeft: Bool
        var isForward: Bool
    }

    /// Out of 255.
    static let duty = 160
    /// The wheels report every 500 ms and need time.
    private static let turnTime = Duration.milliseconds(1600)
    /// Turns a minute.
    private static let speeds = 10.0...1000.0
    /// For the side at rest.
    private static let stillSpeed = 5.0
    private static let sonarRange = 2...300
    private static let readingTimeout = Duration.seconds(3)
    private static let bumperTimeout = Duration.seconds(20)
    /// Some writes over a slow link.
    private static let latencyLimit = Duration.milliseconds(250)
    /// Of the slower side's speed to the faster one's: a side with a dead wheel reports half.
    private static let leastBalance = 0.7
    /// For an operator's look at the lamps.
    private static let lookTime = Duration.seconds(2)

    private static let turns = [
        Turn(name: "left forward", duties: Duties(left: duty, right: 0), isLeft: true, isForward: true),
        Turn(name: "left backward", duties: Duties(left: -duty, right: 0), isLeft: true, isForward: false),
        Turn(name: "right forward", duties: Duties(left: 0, right: duty), isLeft: false, isForward: true),
        Turn(name: "right backward", duties: Duties(left: 0, right: -duty), isLeft: false, isForward: false),
    ]

    let robot: RobotUnit
    let asksBumper: Bool
    /// Asks the operator to act, or announces an action.
    let say: @Sendable (String) -> Void

    func run(_ report: inout RobotReport) async throws {
        report.checks = []
        guard let features = robot.session.features else { throw RobotError.oldOrForeign }
        let tokens = (features.known.map(\.words) + features.unknown).joined(separator: ", ")
        report.checks?.append(RobotCheck(
                name: "features", result: features.tokens.isEmpty ? .failed : .passed, found: "\(features.body): \(tokens)",
                expected: "an answer"))
        let readings = robot.readings
        let drive = RobotDrive(robot.session, reconnect: { try await robot.reconnect(false) }) { readings.take($0, at: robot.clock.now) }
        do {
            report.voltage = try await drive.prepare()
            report.checks?.append(Self.voltage(report.voltage, features))
        } catch let error as RobotError {
            report.checks?.append(RobotCheck(
                name: "voltage", result: .failed, found: error.diagnosis.message, expected: Self.expectedVoltage(features)))
            throw error
        }
        do {
            report.checks?.append(try await sonar(features))
            report.checks?.append(try await lamps(features))
            report.checks?.append(try await bumper(features))
        } catch {
            // Leaves no lamp on.
            report.stop = await drive.run { _ in throw error }.stop
            throw error
        }
        try await motors(features, drive, &report)
    }

    private static func expectedVoltage(_ features: RobotFeatures) -> String {
        features.limits.map { "\(Format.plain($0.low)) to \(Format.plain($0.full + 0.6)) V" } ?? "a voltage"
    }

    private static func voltage(_ volts: Double?, _ features: RobotFeatures) -> RobotCheck {
        guard let volts else { return RobotCheck(name: "voltage", result: .skipped, found: "not built in", expected: "-") }
        let isGood = features.limits.map { ($0.low...($0.full + 0.6)).contains(volts) } ?? true
        return RobotCheck(
            name: "voltage", result: isGood ? .passed : .failed, found: "\(Format.plain(volts)) V", expected: expectedVoltage(features))
    }

    private func sonar(_ features: RobotFeatures) async throws -> RobotCheck {
        guard features.has(.sonar) else { return RobotCheck(name: "sonar", result: .skipped, found: "not built in", expected: "-") }
        // A lost echo counts 300, a late one more: takes the median.
        var distances: [Int] = []
        let end = robot.clock.deadline(in: Self.readingTimeout)
        while distances.count < 9, let message = try await robot.session.next(before: end) {
            robot.readings.take(message, at: robot.clock.now)
            if case .sonar(let distance) = message { distances.append(distance) }
        }
        let middle = distances.count < 3 ? nil : distances.sorted()[distances.count / 2]
        let isGood = middle.map { Self.sonarRange.contains($0) && $0 < Self.sonarRange.upperBound } ?? false
        return RobotCheck(
            name: "sonar", result: isGood ? .passed : .failed,
            found: middle.map { $0 == 300 ? "no echo" : "\($0) cm" } ?? "\(distances.count) readings",
            expected: "an echo from 2 to 299 cm: put something before it")
    }

    private func lamps(_ features: RobotFeatures) async throws -> RobotCheck {
        var lines: [RobotLine] = []
        if features.hasLights { lines += [.lights(front: Brightness(255), back: Brightness(255))] }
        if features.has(.indicators) { lines += [.indicators(left: true, right: true)] }
        if features.has(.statusLEDs) { lines += RobotLine.StatusLED.allCases.map { .status($0, isOn: true) } }
        guard !lines.isEmpty else { return RobotCheck(name: "lights", result: .skipped, found: "not built in", expected: "-") }
        var isProved = true
        for line in lines where try await robot.session.send(line) != .proved { isProved = false }
        say("every lamp of the robot is on for \(Format.plain(Self.lookTime.inSeconds)) s: look at them")
        try await robot.clock.sleep(until: robot.clock.deadline(in: Self.lookTime))
        if features.has(.statusLEDs) { try await robot.session.send(RobotLine.StatusLED.allCases.map { .status($0, isOn: false) }) }
        return RobotCheck(
            name: "lights", result: isProved ? .passed : .failed, found: isProved ? "delivered, not seen" : "sent, not acknowledged",
            expected: "delivered; an operator looks")
    }

    private func bumper(_ features: RobotFeatures) async throws -> RobotCheck {
        guard asksBumper else { return RobotCheck(name: "bumper", result: .skipped, found: "not asked for", expected: "-") }
        guard features.has(.bumper) else {
            return RobotCheck(name: "bumper", result: .skipped, found: "not built in", expected: "-")
        }
        // Earlier messages do not answer the question.
        while let old = try await robot.session.next(before: robot.clock.now) { robot.readings.take(old, at: robot.clock.now) }
        say("press the bumper")
        let end = robot.clock.deadline(in: Self.bumperTimeout)
        while let message = try await robot.session.next(before: end) {
            guard case .bumper(let hit) = message else { continue }
            // While it is pressed, the robot repeats the report and keeps its motors until the window is over.
            var free = robot.clock.deadline(in: DriveMachine.window * 2)
            while robot.clock.now < end, let next = try await robot.session.next(before: free) {
                if case .bumper = next { free = robot.clock.deadline(in: DriveMachine.window * 2) }
            }
            return RobotCheck(
                name: "bumper", result: hit.side == nil ? .failed : .passed, found: "\(hit.code): \(hit.words)", expected: "a known place")
        }
        return RobotCheck(name: "bumper", result: .failed, found: "nothing", expected: "a press within 20 s")
    }

    private func motors(_ features: RobotFeatures, _ drive: RobotDrive, _ report: inout RobotReport) async throws {
        say("each side turns forward and backward")
        var (turned, ending) = await turns(features, drive)
        if ending.lapses > 0, ending.cause == nil {
            say("they turn once more: this computer fed the dead-man late")
            (turned, ending) = await turns(features, drive)
        }
        report.checks? += turned.map(\.check)
        report.checks? += Self.turns.dropFirst(turned.count).map {
            RobotCheck(name: $0.name, result: .skipped, found: "not reached", expected: "a speed")
        }
        report.checks?.append(Self.balance(turned.map(\.speed)))
        report.stop = ending.stop
        report.checks?.append(Self.stop(ending.stop))
        if let cause = ending.cause { throw cause }
    }

    private func turns(
        _ features: RobotFeatures, _ drive: RobotDrive
    ) async -> (turned: [(check: RobotCheck, speed: Double?)], ending: RobotDrive.Ending) {
        let found = Mutex<[(check: RobotCheck, speed: Double?)]>([])
        let ending = await drive.run { steering in
            for turn in Self.turns {
                let start = robot.clock.now
                try await steering.hold(turn.duties, for: Self.turnTime)
                let wheels = robot.readings.now.wheels.flatMap { start < $0.time ? $0.value : nil }
                let check = Self.check(turn, features, wheels)
                found.withLock { $0.append((check, wheels.map { turn.isLeft ? $0.left : $0.right })) }
            }
        }
        return (found.withLock(\.self), ending)
    }

    private static func check(_ turn: Turn, _ features: RobotFeatures, _ wheels: RobotReadings.Wheels?) -> RobotCheck {
        guard features.hasWheels else {
            return RobotCheck(name: turn.name, result: .failed, found: "no encoders: nobody saw it turn", expected: "a speed")
        }
        let range = "\(turn.isForward ? "" : "-")\(Int(speeds.lowerBound)) to \(turn.isForward ? "" : "-")\(Int(speeds.upperBound)) rpm"
        let expected = "\(range), the other side still"
        guard let wheels else { return RobotCheck(name: turn.name, result: .failed, found: "no report", expected: expected) }
        let (own, other) = turn.isLeft ? (wheels.left, wheels.right) : (wheels.right, wheels.left)
        let isGood = speeds.contains(turn.isForward ? own : -own) && abs(other) < stillSpeed
        return RobotCheck(
            name: turn.name, result: isGood ? .passed : .failed,
            found: "\(Format.plain(wheels.left)), \(Format.plain(wheels.right)) rpm", expected: expected)
    }

    /// Both sides have the same motors and wheels.
    private static func balance(_ speeds: [Double?]) -> RobotCheck {
        let expected = "\(Int(leastBalance * 100)) % of each other at least"
        let known = speeds.compactMap { $0.map(abs) }
        guard known.count == turns.count else {
            return RobotCheck(name: "sides alike", result: .skipped, found: "not every side was seen", expected: expected)
        }
        let pairs = zip(known.prefix(2), known.suffix(2)).map { max($0, $1) > 0 ? min($0, $1) / max($0, $1) : 0 }
        let least = pairs.min() ?? 0
        return RobotCheck(
            name: "sides alike", result: least >= leastBalance ? .passed : .failed,
            found: "\(pairs.map { "\(Int($0 * 100)) %" }.joined(separator: " forward, ")) backward", expected: expected)
    }

    private static func stop(_ stop: RobotStop) -> RobotCheck {
        let latency = stop.latency.map { "\(Int($0 / .milliseconds(1))) ms" }
        let isGood = stop.delivery == .proved && !stop.isOverNewLink && stop.isWhole && (stop.latency.map { $0 <= latencyLimit } ?? false)
        return RobotCheck(
            name: "stop", result: isGood ? .passed : .failed,
            found: stop.delivery == .proved ? "acknowledged after \(latency ?? "-")" : "not acknowledged",
            expected: "acknowledged within \(Int(latencyLimit / .milliseconds(1))) ms")
    }
}
