import ArgumentParser
import Bluetooth
import OpenBotFamily
import Support
import Synchronization

/// `noafw robot watch`
struct RobotWatchCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Show what a robot's sensors report.",
        discussion: """
            Redraws a table on a terminal until the time is over or Ctrl-C; elsewhere prints each reading as a line. Marks a reading \
            stale when it is older than three of its intervals. Looks for a robot whose link was lost for a minute. Does not drive the \
            robot.

            Examples:
              noafw robot watch
              noafw robot watch --for 30s --log run-1
            """)

    @OptionGroup(title: "Unit") var unit: UnitOptions
    @OptionGroup var limit: TimeLimit
    @OptionGroup var logs: RobotLogOptions

    @Option(name: .customLong("for"), help: ArgumentHelp("Watch for this long. The default is until Ctrl-C.", valueName: "time"))
    var span: SpanOfTime?

    func run(in context: CommandContext) async -> Int32 {
        let screen = RobotScreen(context: context)
        let run = RobotRun(context: context, unit: unit, limit: limit, verb: "robot watch", settle: { screen.finish() })
        return await run.run { robot, report in
            guard let features = robot.session.features else { throw RobotError.oldOrForeign }
            let files = try RobotLogs(logs, context: context, clock: robot.clock)
            try await robot.session.send(RobotReadings.intervals(for: features))
            let end = robot.clock.deadline(in: span?.duration ?? .forever)
            let ending = await result { try await watch(robot, features, until: end, screen, files) }
            report.voltage = robot.readings.now.voltage?.value
            try files.save()
            do { try ending.get() } catch is CancellationError where context.stop.reason == .interrupted && span == nil {
                // Ctrl-C is the normal end.
            }
        } show: { _, _ in [] }
    }

    private func result(_ body: () async throws -> Void) async -> Result<Void, any Error> {
        do { return .success(try await body()) } catch { return .failure(error) }
    }

    private func watch(
        _ robot: RobotUnit, _ features: RobotFeatures, until end: SessionClock.Instant, _ screen: RobotScreen, _ files: RobotLogs
    ) async throws {
        let begun = robot.clock.now
        var session = robot.session
        while robot.clock.now < end {
            try Task.checkCancellation()
            let next = min(end, robot.clock.deadline(in: LiveBlock.interval))
            let heard: RobotMessage?
            do {
                heard = try await session.next(before: next)
            } catch LinkError.disconnected(let reason) {
                screen.note("the link was lost (\(UntrustedText.escape(reason))); looking for the robot")
                guard let new = try await found(robot, before: end) else { return }
                session = new
                continue
            }
            if let message = heard {
                robot.readings.take(message, at: robot.clock.now)
                files.take(message)
                screen.line(message, seconds: begun.duration(to: robot.clock.now).inSeconds)
            }
            screen.draw(features, robot.readings.now, at: robot.clock.now)
        }
    }
}

extension RobotWatchCommand {
    private static let pause = Duration.seconds(1)
    private static let patience = Duration.seconds(60)

    /// - Returns: a new link that reports; `nil` at `end`.
    private func found(_ robot: RobotUnit, before end: SessionClock.Instant) async throws -> RobotSession? {
        let deadline = min(end, robot.clock.deadline(in: Self.patience))
        while true {
            try await robot.clock.sleep(until: robot.clock.deadline(in: Self.pause))
            do {
                let session = try await robot.reconnect(true)
                guard let features = session.features else { throw RobotError.oldOrForeign }
                try await session.send(RobotReadings.intervals(for: features))
                return session
            } catch let error as LinkError {
                guard robot.clock.now < deadline else {
                    if deadline == end { return nil }
                    throw error
                }
            }
        }
    }
}

/// A robot's readings: redrawn in place on a terminal, otherwise a line each.
final class RobotScreen: Sendable {
    private static let history = 32

    private struct State {
        var speeds: [(left: Double, right: Double)] = []
        var distances: [Double] = []
        var volts: [Double] = []
    }

    private let context: CommandContext
    private let block: LiveBlock
    private let state = Mutex(State())

    init(context: CommandContext) { (self.context, block) = (context, LiveBlock(context)) }

    func line(_ message: RobotMessage, seconds: Double) {
        state.withLock { state in
            switch message {
            case .voltage(let volts): Self.keep(volts, in: &state.volts)
            case .sonar(let distance): Self.keep(Double(distance), in: &state.distances)
            case .wheels(let left, let right): Self.keep((left, right), in: &state.speeds)
            case .bumper, .features, .unknown: break
            }
        }
        guard !block.isLive, let words = Self.words(message) else { return }
        context.output.writeLine("\(Format.seconds(seconds)) s  \(words)")
    }

    private static func keep<Value>(_ value: Value, in values: inout [Value]) {
        values.append(value)
        if values.count > history { values.removeFirst() }
    }

    private static func words(_ message: RobotMessage) -> String? {
        switch message {
        case .voltage(let volts): "voltage \(Format.plain(volts)) V"
        case .sonar(let distance): "sonar \(distance) cm"
        case .wheels(let left, let right): "wheels \(Format.plain(left)), \(Format.plain(right)) rpm"
        case .bumper(let hit): "bumper \(hit.code): \(hit.words)"
        case .features, .unknown: nil
        }
    }

    func draw(_ features: RobotFeatures, _ readings: RobotReadings, at now: SessionClock.Instant) {
        let state = state.withLock(\.self)
        block.draw(at: now) { Self.lines(features, readings, state, $0, columns: $1, at: now) }
    }

    /// Stays above what is redrawn.
    func note(_ text: String) { block.note(text) }

    func finish() { block.finish() }

    private static func lines(
        _ features: RobotFeatures, _ readings: RobotReadings, _ state: State, _ style: TextStyle, columns: Int, at now: SessionClock.Instant
    ) -> [String] {
        var table = TextTable([.init("reading"), .init("value", .right), .init("", leftOut: 2), .init("last", leftOut: 1), .init("")])
        var stale: [Bool] = []
        func row(_ name: String, _ value: String?, _ bar: Double?, _ trend: [Double], _ isStale: Bool?) {
            table.append([
                name, value ?? "-", bar.map { RobotBars.bar($0, style) } ?? "", RobotBars.sparkline(trend, style),
                isStale == true ? "stale" : "",
            ])
            stale.append(isStale ?? false)
        }
        if features.has(.voltage) {
            let volts = readings.voltage
            let share = volts.flatMap { volts in features.limits.map { Double($0.percent(volts.value)) / 100 } }
            row("voltage", volts.map { "\(Format.plain($0.value)) V" }, share, state.volts, volts?.isStale(at: now))
        }
        if features.has(.sonar) {
            let sonar = readings.sonar
            row("sonar", sonar.map { "\($0.value) cm" }, sonar.map { Double($0.value) / 300 }, state.distances, sonar?.isStale(at: now))
        }
        if features.hasWheels {
            let wheels = readings.wheels
            for (name, part, trend) in [
                ("left wheels", \RobotReadings.Wheels.left, state.speeds.map(\.left)),
                ("right wheels", \RobotReadings.Wheels.right, state.speeds.map(\.right)),
            ] {
                let rpm = wheels?.value[keyPath: part]
                row(name, rpm.map { "\(Format.plain($0)) rpm" }, rpm.map { abs($0) / 300 }, trend, wheels?.isStale(at: now))
            }
        }
        if features.has(.bumper) {
            let hit = readings.bumper.flatMap { $0.isStale(at: now) ? nil : $0.value }
            row("bumper", hit.map(\.code) ?? "free", nil, [], nil)
        }
        return table.lines(style: style, columns: columns) { stale[$0] ? .careful : nil }
    }
}

/// Figures as one line of graphics.
enum RobotBars {
    private static let width = 12
    private static let blocks = Array("▁▂▃▄▅▆▇█")
    private static let letters = Array("_.-=+*%#")

    /// - Parameter share: 0…1.
    static func bar(_ share: Double, _ style: TextStyle) -> String {
        let full = Int((min(max(share, 0), 1) * Double(width)).rounded())
        let (on, off) = style.hasSymbols ? ("█", "░") : ("#", ".")
        return String(repeating: on, count: full) + String(repeating: off, count: width - full)
    }

    /// From minimum to maximum.
    static func sparkline(_ values: [Double], _ style: TextStyle) -> String {
        guard let least = values.min(), let most = values.max() else { return "" }
        let signs = style.hasSymbols ? blocks : letters
        return String(values.map { value in
            let share = most > least ? (value - least) / (most - least) : 0
            return signs[min(signs.count - 1, Int(share * Double(signs.count)))]
        })
    }
}
