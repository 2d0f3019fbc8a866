import Support

/// A robot's last reports and their age.
public struct RobotReadings: Sendable {
    public struct Reading<Value: Sendable>: Sendable {
        public let value: Value
        public let time: SessionClock.Instant
        /// Three intervals after it came.
        let end: SessionClock.Instant

        public func isStale(at now: SessionClock.Instant) -> Bool { now > end }
    }

    public struct Wheels: Sendable, Hashable {
        public var left: Double
        public var right: Double
    }

    /// The interval of OpenBot's app for Android: the sonar's stop is only as fresh as its reports.
    public static let sonarInterval = Interval(milliseconds: 100)
    public static let voltageInterval = Interval(milliseconds: 250)
    public static let wheelInterval = Interval(milliseconds: 500)
    /// A value is stale after three of its intervals.
    private static let staleIntervals = 3

    public private(set) var voltage: Reading<Double>?
    public private(set) var wheels: Reading<Wheels>?
    public private(set) var sonar: Reading<Int>?
    public private(set) var bumper: Reading<Bumper>?
    /// Messages unlike any of the sketch's.
    public private(set) var unknownCount = 0

    public init() {}

    public mutating func take(_ message: RobotMessage, at now: SessionClock.Instant) {
        switch message {
        case .voltage(let volts): voltage = Self.reading(volts, Self.voltageInterval, now)
        case .wheels(let left, let right): wheels = Self.reading(Wheels(left: left, right: right), Self.wheelInterval, now)
        case .sonar(let centimetres): sonar = Self.reading(centimetres, Self.sonarInterval, now)
        case .bumper(let hit): bumper = Reading(value: hit, time: now, end: now.advanced(by: DriveMachine.window))
        case .features: break
        case .unknown: unknownCount += 1
        }
    }

    private static func reading<Value>(_ value: Value, _ interval: Interval, _ now: SessionClock.Instant) -> Reading<Value> {
        Reading(value: value, time: now, end: now.advanced(by: .milliseconds(interval.milliseconds * staleIntervals)))
    }

    /// The lines that request reports about the robot's features.
    public static func intervals(for features: RobotFeatures) -> [RobotLine] {
        var lines: [RobotLine] = []
        if features.has(.sonar) { lines.append(.sonar(sonarInterval)) }
        if features.hasWheels { lines.append(.wheels(wheelInterval)) }
        if features.has(.voltage) { lines.append(.voltage(voltageInterval)) }
        return lines
    }
}
