import Bluetooth
import Support

/// A link to a robot's sketch: lines out, messages in.
public struct RobotSession: Sendable {
    /// Whether a line reached the robot.
    public enum Delivery: Sendable, Hashable {
        /// The robot's stack has acknowledged the write.
        case proved
        /// It left without a response.
        case sent
    }

    private enum Writer: Sendable {
        case requests
        case commands(any WriteChannel)
    }

    /// The longest message has 32 bytes; a cut one looks complete.
    static let leastPayload = 33
    private static let questions = 3
    private static let questionInterval = Duration.seconds(1)
    private static let writeTimeout = Duration.seconds(2)
    /// Write Not Permitted (Core 5.4, Vol 3, Part F, 3.4.1.1).
    private static let notPermitted: UInt8 = 0x03

    public let connection: any Connection
    public let clock: SessionClock
    /// `nil` for a robot that did not answer.
    public let features: RobotFeatures?
    private let writer: Writer
    private let notifications: Inbox<[UInt8]>

    /// Subscribes, and asks for the features: three times, a second apart.
    /// - Parameter asksFeatures: if false, the session can only stop the robot.
    /// - Throws: ``RobotError/payloadTooSmall(_:)``, ``LinkError``.
    public static func open(_ connection: any Connection, clock: SessionClock, asksFeatures: Bool = true) async throws -> RobotSession {
        guard asksFeatures else { return try await openForStop(connection, clock) }
        guard connection.payloadSize >= leastPayload else { throw RobotError.payloadTooSmall(connection.payloadSize) }
        let notifications = try await connection.subscribe(to: OpenBot.transmit, deadline: clock.deadline(in: .seconds(5)))
        let writer = try await writer(of: connection, clock, beginningWith: .features)
        let silent = RobotSession(connection: connection, clock: clock, features: nil, writer: writer, notifications: notifications)
        for question in 0..<questions {
            if question > 0 { try await silent.send(.features) }
            let deadline = clock.deadline(in: questionInterval)
            while let message = try await silent.next(before: deadline) {
                guard case .features(let features) = message else { continue }
                return RobotSession(
                    connection: connection, clock: clock, features: features, writer: writer, notifications: notifications)
            }
        }
        return silent
    }

    /// The stop takes precedence, whatever the link can carry; it hears nothing.
    private static func openForStop(_ connection: any Connection, _ clock: SessionClock) async throws -> RobotSession {
        let writer = try await writer(of: connection, clock, beginningWith: .drive(.still))
        return RobotSession(connection: connection, clock: clock, features: nil, writer: writer, notifications: Inbox())
    }

    /// A write with response proves that a line arrived. Bluedroid accepts one although RX's properties have none, and the sketch of
    /// early 2023 accepts nothing else; a stack that refuses it gets commands.
    private static func writer(
        of connection: any Connection, _ clock: SessionClock, beginningWith line: RobotLine
    ) async throws -> Writer {
        do {
            try await connection.write(line.bytes, to: OpenBot.receive, deadline: clock.deadline(in: writeTimeout))
            return .requests
        } catch LinkError.notAllowed {
        } catch LinkError.refused(_, attributeError: notPermitted, _) {}
        let channel = try await connection.openChannel(to: OpenBot.receive, deadline: clock.deadline(in: writeTimeout))
        try await channel.send(line.bytes, deadline: clock.deadline(in: writeTimeout))
        return .commands(channel)
    }

    @discardableResult
    public func send(_ line: RobotLine) async throws -> Delivery {
        let deadline = clock.deadline(in: Self.writeTimeout)
        switch writer {
        case .requests:
            try await connection.write(line.bytes, to: OpenBot.receive, deadline: deadline)
            return .proved
        case .commands(let channel):
            try await channel.send(line.bytes, deadline: deadline)
            return .sent
        }
    }

    public func send(_ lines: [RobotLine]) async throws { for line in lines { try await send(line) } }

    /// The next message; `nil` at the deadline.
    public func next(before deadline: SessionClock.Instant) async throws -> RobotMessage? {
        try await notifications.next(before: deadline, on: clock).map { RobotMessage($0) }
    }

    private static let voltageTimeout = Duration.seconds(2)

    /// - Returns: V; `nil` for a body that reports none.
    public func firstVoltage() async throws -> Double? {
        guard features?.has(.voltage) == true else { return nil }
        try await send(.voltage(RobotReadings.voltageInterval))
        let deadline = clock.deadline(in: Self.voltageTimeout)
        while let message = try await next(before: deadline) {
            if case .voltage(let volts) = message { return volts }
        }
        throw RobotError.noVoltage
    }
}
