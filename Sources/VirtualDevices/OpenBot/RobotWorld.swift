import Foundation

/// What surrounds the sketch: wheels, battery, sonar. All of it is computed when somebody looks.
struct RobotWorld: Sendable {
    /// What a person sets, and what stays while the robot is off.
    struct Surroundings: Codable, Sendable, Equatable {
        /// In cm; `nil` where nothing echoes.
        var obstacle: Double? = 120
        /// Without load, in V.
        var battery = 11.9
        /// The reading of the bumper's resistors; 0 when nothing touches.
        var bumper = 0
        /// Something holds the wheels of this side.
        var blocked: Side?
    }

    enum Side: String, Codable { case left, right }

    /// One side's.
    private struct Wheel: Sendable {
        /// Turns a second, and turns since the start.
        var speed = 0.0
        var turns = 0.0

        mutating func run(for seconds: Double, to target: Double, lag: Double) {
            let decay = exp(-seconds / lag)
            turns += target * seconds + (speed - target) * lag * (1 - decay)
            speed = target + (speed - target) * decay
        }

        /// Slots that have passed since `turns`, of all encoders of a side; no two wheels stand alike.
        func slots(since before: Double, _ ticksPerTurn: Int, wheels: Int) -> Int {
            (0..<wheels).reduce(0) { sum, wheel in
                func slot(_ turns: Double) -> Int { Int((turns * Double(ticksPerTurn) + Double(wheel) / 3).rounded(.down)) }
                return sum + abs(slot(turns) - slot(before))
            }
        }
    }

    /// An echo that is on its way: how long its pulse is, and when it ends, in µs of the sketch's clock.
    private struct Echo: Sendable {
        var end: UInt64
        var length: UInt32
    }

    /// Below it a motor hums and turns nothing.
    private static let deadDuty = 24.0
    /// Seconds until a wheel has followed to two thirds.
    private static let drivingLag = 0.12, coastingLag = 0.35, brakingLag = 0.04
    private static let fullVolts = 12.6
    /// V that full duty on both sides takes away, at once and in an hour.
    private static let sag = 0.6, drain = 2.0
    /// The divider and the converter (3.3 V, 12 bits).
    private static let stepsAVolt = 4095 / 3.3 / 4
    /// Of an HC-SR04: from the trigger to the pulse, per cm there and back, its longest pulse, and how far it hears.
    private static let echoDelay = 480.0, echoPerCentimetre = 58.3, longestEcho = 38_000.0, farthest = 400.0
    /// One ping in so many comes back not at all, or too late.
    private static let lostEchoes: UInt64 = 64, lateEchoes: UInt64 = 256

    let body: RobotBody
    var surroundings: Surroundings
    private var wheels = (left: Wheel(), right: Wheel())
    private var time: UInt64 = 0
    private var echo: Echo?

    init(body: RobotBody, surroundings: Surroundings) { (self.body, self.surroundings) = (body, surroundings) }

    var pins: RobotFirmware.Pins {
        RobotFirmware.Pins(bumper: surroundings.bumper, voltage: min(4095, Int(volts * Self.stepsAVolt)))
    }

    private var load = 0.0
    private var volts: Double { max(0, surroundings.battery - Self.sag * load) }

    /// Lets the wheels turn until now.
    /// - Returns: the slots that have passed.
    mutating func advance(to now: UInt64, _ motors: RobotFirmware.Motors) -> (left: Int, right: Int) {
        guard now > time else { return (0, 0) }
        let seconds = Double(now - time) / 1e6
        time = now
        load = Double(min(255, motors.left.magnitude) + min(255, motors.right.magnitude)) / 510
        surroundings.battery = max(0, surroundings.battery - Self.drain * load * seconds / 3600)
        let before = (left: wheels.left.turns, right: wheels.right.turns)
        run(&wheels.left, surroundings.blocked == .left ? 0 : motors.left, motors.isBraking, seconds)
        // No two motors are alike.
        run(&wheels.right, surroundings.blocked == .right ? 0 : motors.right, motors.isBraking, seconds, share: 0.97)
        return (
            wheels.left.slots(since: before.left, body.ticksPerTurn, wheels: body.wheels),
            wheels.right.slots(since: before.right, body.ticksPerTurn, wheels: body.wheels)
        )
    }

    private func run(_ wheel: inout Wheel, _ duty: Int32, _ isBraking: Bool, _ seconds: Double, share: Double = 1) {
        let force = max(0, Double(min(255, duty.magnitude)) - Self.deadDuty) / (255 - Self.deadDuty)
        let target = Double(duty.signum()) * force * body.topSpeed / 60 * share * volts / Self.fullVolts
        wheel.run(for: seconds, to: target, lag: isBraking ? Self.brakingLag : force == 0 ? Self.coastingLag : Self.drivingLag)
    }

    /// The trigger. A sensor that still hears its last ping takes no other one.
    mutating func ping(at now: UInt64, using generator: inout SeededGenerator) {
        guard echo == nil, let centimetres = surroundings.obstacle, centimetres <= Self.farthest else { return }
        let draw = generator.next()
        guard draw % Self.lostEchoes != 1 else { return }
        let length = draw % Self.lateEchoes == 2 ? Self.longestEcho : max(2, centimetres) * Self.echoPerCentimetre
        echo = Echo(end: now + UInt64(Self.echoDelay + length), length: UInt32(length))
    }

    var echoEnd: UInt64? { echo?.end }

    /// Whose pulse has ended by now: its length in µs.
    mutating func takeEcho(by now: UInt64) -> UInt32? {
        guard let echo, echo.end <= now else { return nil }
        self.echo = nil
        return echo.length
    }
}
