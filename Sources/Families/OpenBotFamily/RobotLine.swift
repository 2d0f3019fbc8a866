/// A command to a robot: one line, with all its fields, whose numbers are safe for the sketch.
///
/// The sketch clamps nothing, dereferences NULL for a missing field (`c`, `i`, `l`, `n`), and floods at an interval of 0 (`openbot.ino`):
/// this type cannot express any of that. There is no line `b`, as a longer window keeps the motors from a stop.
public enum RobotLine: Sendable, Hashable {
    case drive(Duties)
    /// The dead-man's time, after which the motors stop; `nil` turns it off.
    case deadMan(DeadMan?)
    case features
    case sonar(Interval)
    case wheels(Interval)
    case voltage(Interval)
    case indicators(left: Bool, right: Bool)
    case lights(front: Brightness, back: Brightness)
    case status(StatusLED, isOn: Bool)

    public enum StatusLED: String, Sendable, CaseIterable { case yellow = "y", green = "g", blue = "b" }

    /// Includes the line feed: at most 20 bytes. The sketch's buffer holds 59 and checks nothing.
    public var bytes: [UInt8] { Array((text + "\n").utf8) }

    public var text: String {
        switch self {
        case .drive(let duties): "c\(duties.left),\(duties.right)"
        case .deadMan(let time): "h\(time?.milliseconds ?? -1)"
        case .features: "f"
        case .sonar(let interval): "s\(interval.milliseconds)"
        case .wheels(let interval): "w\(interval.milliseconds)"
        case .voltage(let interval): "v\(interval.milliseconds)"
        case .indicators(let left, let right): "i\(left ? 1 : 0),\(right ? 1 : 0)"
        case .lights(let front, let back): "l\(front.value),\(back.value)"
        case .status(let led, let isOn): "n\(led.rawValue),\(isOn ? 1 : 0)"
        }
    }
}

/// Duties of both sides, −255…255; + is forward.
public struct Duties: Sendable, Hashable {
    /// 8-bit timers; 255 is full on, and above 256 the effect is unknown.
    public static let limit = 255
    public static let still = Duties(left: 0, right: 0)
    /// Applied at once even within a collision's window, and turns nothing.
    static let escapeBack = Duties(left: -1, right: -1), escapeForward = Duties(left: 1, right: 1)

    public let left: Int
    public let right: Int

    public init(left: Int, right: Int) { (self.left, self.right) = (Self.clamped(left), Self.clamped(right)) }

    private static func clamped(_ duty: Int) -> Int { min(max(duty, -limit), limit) }

    /// - Parameter most: the duty of full speed.
    public func scaled(to most: Int) -> Duties { Duties(left: left * most / Self.limit, right: right * most / Self.limit) }
}

/// How long the motors may run unfed, short enough for a safe stop. BlueZ drops a link after 420 ms; when the sketch notices, it sleeps
/// 500 ms with its motors unchanged, so a longer time would act only after that.
public struct DeadMan: Sendable, Hashable {
    public static let usual = DeadMan(milliseconds: 400)

    public let milliseconds: Int

    public init(milliseconds: Int) { self.milliseconds = min(max(milliseconds, 100), 400) }

    var feedInterval: Duration { .milliseconds(milliseconds) / 3 }
}

/// Between two reports, in ms.
public struct Interval: Sendable, Hashable {
    public let milliseconds: Int

    /// At least 20, as a sonar's ping takes 18 ms and 0 is a flood.
    public init(milliseconds: Int) { self.milliseconds = min(max(milliseconds, 20), 60_000) }
}

/// For lights, 0…255.
public struct Brightness: Sendable, Hashable {
    public static let off = Brightness(0)

    public let value: Int

    public init(_ value: Int) { self.value = min(max(value, 0), 255) }
}
