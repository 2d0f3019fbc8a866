import OpenBotFamily
import Support
import Synchronization

/// Interprets arrow keys. A terminal does not report a released key: a motion ends when the key stops repeating.
struct ArrowDrive: Sendable {
    enum Action: Sendable, Hashable {
        case drive(Duties)
        case end
    }

    /// Longer than a keyboard's delay before the first repetition, 250 to 660 ms.
    static let hold = Duration.milliseconds(700)

    /// The rest of a key that a connection has cut comes sooner.
    private static let pause = Duration.milliseconds(100)

    private var decoder = KeyDecoder()
    private var motionEnd: SessionClock.Instant?
    private var keyEnd: SessionClock.Instant?

    /// When to call ``wake(at:)``.
    var deadline: SessionClock.Instant? { [motionEnd, keyEnd].compactMap(\.self).min() }

    /// - Parameter bytes: `nil` at the end of the input.
    mutating func take(_ bytes: [UInt8]?, at now: SessionClock.Instant) -> [Action] {
        guard let bytes else { return [.end] }
        defer { keyEnd = decoder.isInEscape ? now.advanced(by: Self.pause) : nil }
        var actions: [Action] = []
        for key in decoder.decode(bytes) {
            switch key {
            case .up: actions.append(move(255, 255, now))
            case .down: actions.append(move(-255, -255, now))
            case .left: actions.append(move(-255, 255, now))
            case .right: actions.append(move(255, -255, now))
            case .interrupt, .endOfInput, .text("q"): return actions + [.end]
            default:
                motionEnd = nil
                actions.append(.drive(.still))
            }
        }
        return actions
    }

    /// Call it when time has passed without a key.
    mutating func wake(at now: SessionClock.Instant) -> [Action] {
        if let keyEnd, now >= keyEnd {
            self.keyEnd = nil
            decoder.settle()
        }
        guard let motionEnd, now >= motionEnd else { return [] }
        self.motionEnd = nil
        return [.drive(.still)]
    }

    private mutating func move(_ left: Int, _ right: Int, _ now: SessionClock.Instant) -> Action {
        motionEnd = now.advanced(by: Self.hold)
        return .drive(Duties(left: left, right: right))
    }
}

final class RobotKeys: Sendable {
    private let context: CommandContext
    private let typed = Mutex<(any TypedInput)?>(nil)

    init(context: CommandContext) { self.context = context }

    func close() {
        typed.withLock { typed in
            typed?.close()
            typed = nil
        }
    }

    /// - Parameter clock: the robot's.
    func run(clock: SessionClock, _ drive: @Sendable (Duties) -> Void) async throws {
        let pieces = Inbox<[UInt8]?>()
        let input = try context.input.open(.keys) { pieces.deliver($0) }
        typed.withLock { $0 = input }
        defer { close() }
        context.say("arrow keys drive, the space bar stops, q ends")
        var keys = ArrowDrive()
        input.more()
        while true {
            let piece = try await pieces.next(before: keys.deadline ?? clock.deadline(in: .forever), on: clock)
            var actions = keys.wake(at: clock.now)
            if let piece {
                actions += keys.take(piece, at: clock.now)
                input.more()
            }
            for action in actions {
                guard case .drive(let duties) = action else { return }
                drive(duties)
            }
        }
    }
}
