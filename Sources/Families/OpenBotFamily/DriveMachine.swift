import Support

/// Drives and stops a robot: times and events in, lines out.
///
/// The dead-man is armed before the first motion and fed three times a period. One that acted because its food was late holds the
/// motors at 0 until the next `c` (`openbot.ino`): the duties are then sent again. Every end runs the same stop: `c0,0`, feeding until the
/// end of a collision's window, then lamps off and the dead-man off, because an armed one would leave the robot deaf to both phone apps.
/// When the robot may back out within the window, the sketch applies neither `c0,0` nor the dead-man: a 1-duty line comes first, which
/// applies at once and turns nothing (`openbot.ino`). A robot that does not back out brakes, and that line would release it.
public struct DriveMachine: Sendable {
    public typealias Time = SessionClock.Instant

    private enum State: Sendable {
        /// Nothing moves, and the dead-man is off.
        case atRest
        case driving(Duties, Food)
        /// The motors are stopped; fed until the window is over.
        case stopping(nextFeed: Time, until: Time)
        case over
    }

    /// When the dead-man's last food was sent, and the one before.
    private struct Food: Sendable {
        var last: Time
        var before: Time

        func next(for deadMan: DeadMan) -> Time { last.advanced(by: deadMan.feedInterval) }
    }

    /// How long a collision keeps the motors (`bumper_interval`); no line here can raise it.
    public static let window = Duration.milliseconds(750)

    private let features: RobotFeatures?
    private let deadMan: DeadMan
    private var state = State.atRest
    private var hit: (bumper: Bumper, end: Time, backsOut: Bool)?
    /// When both sides last got a command to go forward, or back.
    private var lastMoves: [Bumper.Side: Time] = [:]

    /// - Parameter features: `nil` for a robot that gave none; it can only be stopped.
    public init(features: RobotFeatures?, deadMan: DeadMan = .usual) { (self.features, self.deadMan) = (features, deadMan) }

    public var isOver: Bool { if case .over = state { true } else { false } }

    /// The least distance in cm at which the sketch kept the motors still, though both sides were to go forward.
    public private(set) var sonarStop: Int?

    /// How often the dead-man may have acted in a drive, as its food was late.
    public private(set) var lapses = 0

    /// The sketch's (`openbot.ino`): up to it, a command whose both sides go forward is zeroed.
    private static let stopDistance = 10

    /// The bumper hit last, while it keeps the motors.
    public func blocked(at now: Time) -> Bumper? { hit.flatMap { now < $0.end ? $0.bumper : nil } }

    /// When to call ``wake(at:)``.
    public var nextDeadline: Time? {
        switch state {
        case .atRest, .over: nil
        case .driving(_, let food): food.next(for: deadMan)
        case .stopping(let nextFeed, let end): min(nextFeed, end)
        }
    }

    /// - Returns: nothing within a collision's window: a kept command would start at its end.
    public mutating func drive(_ duties: Duties, at now: Time) -> [RobotLine] {
        guard features != nil, blocked(at: now) == nil else { return [] }
        if duties.left > 0, duties.right > 0 { lastMoves[.front] = now }
        if duties.left < 0, duties.right < 0 { lastMoves[.back] = now }
        switch state {
        case .atRest:
            guard duties != .still else { return [] }
            state = .driving(duties, Food(last: now, before: now))
            return [.deadMan(deadMan), .drive(duties)]
        case .driving(duties, _): return []
        case .driving(_, let food):
            state = .driving(duties, food)
            return [.drive(duties)]
        case .stopping, .over: return []
        }
    }

    /// - Parameter distance: in cm.
    public mutating func measured(_ distance: Int) {
        guard distance <= Self.stopDistance, case .driving(let duties, _) = state, duties.left > 0, duties.right > 0 else { return }
        sonarStop = min(distance, sonarStop ?? distance)
    }

    /// After a collision the motors brake; commands under way must not start later.
    public mutating func collided(_ bumper: Bumper, at now: Time) -> [RobotLine] {
        // Away from the obstacle, by a line that may have arrived after the collision.
        let away = bumper.side == .front ? lastMoves[.back] : bumper.side == .back ? lastMoves[.front] : nil
        hit = (bumper, now.advanced(by: Self.window), away.map { $0.duration(to: now) <= Self.window } ?? false)
        switch state {
        case .driving(_, let food):
            state = .driving(.still, food)
            return halt(at: now)
        case .stopping(let nextFeed, _):
            state = .stopping(nextFeed: nextFeed, until: now.advanced(by: Self.window))
            return halt(at: now)
        case .atRest, .over: return []
        }
    }

    /// Feeds the dead-man, and ends a stop.
    public mutating func wake(at now: Time) -> [RobotLine] {
        switch state {
        case .driving(let duties, let food) where now >= food.next(for: deadMan):
            // A line that was sent in time may have arrived only now.
            let isLate = food.before.duration(to: now) >= .milliseconds(deadMan.milliseconds)
            state = .driving(duties, Food(last: now, before: isLate ? now : food.last))
            if isLate { lapses += 1 }
            return [.deadMan(deadMan)] + (isLate ? [.drive(duties)] : [])
        case .stopping(_, let end) where now >= end:
            state = .over
            // Whatever the window has kept.
            return [.drive(.still)] + farewell
        case .stopping(let nextFeed, let end) where now >= nextFeed:
            state = .stopping(nextFeed: now.advanced(by: deadMan.feedInterval), until: end)
            return [.deadMan(deadMan)]
        case .atRest, .driving, .stopping, .over: return []
        }
    }

    /// However the drive ends: continue with ``wake(at:)`` until ``isOver``.
    public mutating func stop(at now: Time) -> [RobotLine] {
        switch state {
        case .stopping, .over: return []
        case .atRest, .driving:
            guard let hit, now < hit.end else {
                state = .over
                return [.drive(.still)] + farewell
            }
            state = .stopping(nextFeed: now.advanced(by: deadMan.feedInterval), until: hit.end)
            return [.deadMan(deadMan)] + halt(at: now)
        }
    }

    /// First away from the obstacle without force, which applies at once, then none at all.
    private func halt(at now: Time) -> [RobotLine] {
        switch hit?.backsOut == true ? blocked(at: now)?.side : nil {
        case .front: [.drive(.escapeBack), .drive(.still)]
        case .back: [.drive(.escapeForward), .drive(.still)]
        case nil: [.drive(.still)]
        }
    }

    /// The robot's final state.
    var farewell: [RobotLine] {
        let lights: [RobotLine] = features?.hasLights == true ? [.lights(front: .off, back: .off)] : []
        let indicators: [RobotLine] = features?.has(.indicators) == true ? [.indicators(left: false, right: false)] : []
        return lights + indicators + [.deadMan(nil)]
    }
}
