import Bluetooth
import Support
import Synchronization

/// Drives a robot while `body` runs, and stops it however that ends: normally, by an error, a cancellation or a lost link.
public struct RobotDrive: Sendable {
    /// Commands for a drive under way.
    public struct Steering: Sendable {
        fileprivate let items: Inbox<Item>
        fileprivate let clock: SessionClock

        public func set(_ duties: Duties) { items.deliver(.duties(duties)) }

        /// Holds duties for a time, which begins when the robot has them.
        public func hold(_ duties: Duties, for time: Duration) async throws {
            let sent = Inbox<Void>()
            items.deliver(.duties(duties, sent: sent))
            _ = try await sent.next(before: clock.deadline(in: .forever), on: clock)
            try await clock.sleep(until: clock.deadline(in: time))
        }
    }

    fileprivate enum Item: Sendable {
        case duties(Duties, sent: Inbox<Void>? = nil)
        case message(RobotMessage)
        case end
    }

    /// How a drive ended.
    public struct Ending: Sendable {
        /// `nil` for a normal end.
        public var cause: (any Error)?
        public var stop: RobotStop
        /// In cm: the sketch kept the motors still when the robot was to go forward.
        public var sonarStop: Int?
        /// How often the dead-man may have stopped the motors in between.
        public var lapses: Int

        fileprivate init(cause: (any Error)?, stop: RobotStop, of machine: DriveMachine) {
            (self.cause, self.stop, sonarStop, lapses) = (cause, stop, machine.sonarStop, machine.lapses)
        }
    }

    private static let voltageTimeout = Duration.seconds(2)

    private let session: RobotSession
    private let deadMan: DeadMan
    /// Reconnects to stop the robot.
    private let reconnect: @Sendable () async throws -> RobotSession
    private let report: @Sendable (RobotMessage) -> Void

    /// - Parameters:
    ///   - report: gets every message.
    ///   - reconnect: opens a session without questions.
    public init(
        _ session: RobotSession, deadMan: DeadMan = .usual, reconnect: @escaping @Sendable () async throws -> RobotSession,
        report: @escaping @Sendable (RobotMessage) -> Void = { _ in }
    ) {
        (self.session, self.deadMan, self.reconnect, self.report) = (session, deadMan, reconnect, report)
    }

    /// Requests reports, and refuses a robot that must not be driven.
    /// - Returns: the battery's voltage; `nil` for a body that reports none.
    /// - Throws: ``RobotError/oldOrForeign``, ``RobotError/noVoltage``, ``RobotError/batteryLow(_:low:)``.
    public func prepare() async throws -> Double? {
        guard let features = session.features else { throw RobotError.oldOrForeign }
        try await session.send(RobotReadings.intervals(for: features))
        guard features.has(.voltage) else { return nil }
        let deadline = session.clock.deadline(in: Self.voltageTimeout)
        while let message = try await session.next(before: deadline) {
            report(message)
            guard case .voltage(let volts) = message else { continue }
            if let low = features.limits?.low, volts < low { throw RobotError.batteryLow(volts, low: low) }
            return volts
        }
        throw RobotError.noVoltage
    }

    /// - Parameter endsAtCollision: otherwise the drive continues after the collision's window.
    public func run(endsAtCollision: Bool = true, _ body: @escaping @Sendable (Steering) async throws -> Void) async -> Ending {
        let machine = Mutex(DriveMachine(features: session.features, deadMan: deadMan))
        do {
            try await steer(machine, endsAtCollision, body)
            return Ending(cause: nil, stop: await stop(machine), of: machine.withLock(\.self))
        } catch {
            var ending = Ending(cause: error, stop: await stop(machine), of: machine.withLock(\.self))
            if let lost = error as? LinkError, case .disconnected(let reason) = lost {
                ending.cause = RobotError.linkLost(reason: reason, stopped: ending.stop.isDelivered)
            }
            return ending
        }
    }

    private func steer(
        _ machine: borrowing Mutex<DriveMachine>, _ endsAtCollision: Bool, _ body: @escaping @Sendable (Steering) async throws -> Void
    ) async throws {
        let items = Inbox<Item>()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await listen(into: items) }
            group.addTask {
                do {
                    try await body(Steering(items: items, clock: session.clock))
                    items.deliver(.end)
                } catch {
                    items.finish(throwing: error)
                }
            }
            defer { group.cancelAll() }
            while true {
                let deadline = machine.withLock(\.nextDeadline) ?? session.clock.deadline(in: .forever)
                let item = try await items.next(before: deadline, on: session.clock)
                let now = session.clock.now
                switch item {
                case .end: return
                case .duties(let duties, let sent):
                    try await perform(machine.withLock { $0.drive(duties, at: now) })
                    sent?.deliver(())
                case .message(.sonar(let distance)): machine.withLock { $0.measured(distance) }
                case .message(.bumper(let hit)):
                    try await perform(machine.withLock { $0.collided(hit, at: now) })
                    if endsAtCollision { throw RobotError.collided(hit) }
                case .message: break
                case nil: try await perform(machine.withLock { $0.wake(at: now) })
                }
                // A stream of messages must not starve the dead-man.
                if let due = machine.withLock(\.nextDeadline), session.clock.now >= due {
                    try await perform(machine.withLock { $0.wake(at: session.clock.now) })
                }
            }
        }
    }

    private func listen(into items: Inbox<Item>) async {
        do {
            while let message = try await session.next(before: session.clock.deadline(in: .forever)) {
                report(message)
                items.deliver(.message(message))
            }
        } catch {
            if !(error is CancellationError) { items.finish(throwing: error) }
        }
    }

    /// Waits for a started write even when cancelled: bluetoothd accepts no second one meanwhile.
    private func perform(_ lines: [RobotLine]) async throws {
        for line in lines {
            try Task.checkCancellation()
            let failure = Mutex<(any Error)?>(nil)
            await session.clock.shielded(for: .seconds(3)) { [session] in
                do { try await session.send(line) } catch { failure.withLock { $0 = error } }
            }
            if let error = failure.withLock(\.self) { throw error }
        }
    }

    private func stop(_ machine: borrowing Mutex<DriveMachine>) async -> RobotStop {
        let box = StopBox(machine.withLock(\.self))
        await session.clock.shielded(for: RobotStop.limit) { [session, reconnect, report] in
            do {
                try await box.run(over: session, report)
            } catch {
                // Meanwhile the dead-man acts; this confirms the stop and drives no more.
                await session.connection.disconnect()
                guard let fresh = try? await reconnect() else { return }
                box.isOverNewLink = box.isUndelivered
                try? await box.finish(over: fresh)
                await fresh.connection.disconnect()
            }
        }
        return box.result(deadMan)
    }
}

/// Whether and how the stop was delivered.
public struct RobotStop: Sendable, Hashable {
    /// A collision's window, a new link, and the lines.
    static let limit = Duration.seconds(8)

    /// `nil` when it was not.
    public var delivery: RobotSession.Delivery?
    /// Over a new link.
    public var isOverNewLink = false
    /// From the end of the drive until the robot had the stop line.
    public var latency: Duration?
    /// All lines of the stop arrived.
    public var isWhole = false
    /// Acts when nothing arrived.
    public var deadManMilliseconds: Int

    public var isDelivered: Bool { delivery != nil }

    public init(
        delivery: RobotSession.Delivery?, isOverNewLink: Bool = false, latency: Duration? = nil, isWhole: Bool = false,
        deadManMilliseconds: Int
    ) {
        (self.delivery, self.isOverNewLink, self.latency) = (delivery, isOverNewLink, latency)
        (self.isWhole, self.deadManMilliseconds) = (isWhole, deadManMilliseconds)
    }
}

/// A stop under way. Only the shielded task changes it, and only the task that waits for that one reads it.
private final class StopBox: Sendable {
    private struct State {
        var machine: DriveMachine
        var delivery: RobotSession.Delivery?
        var latency: Duration?
        var isWhole = false
        var isOverNewLink = false
        var begun: SessionClock.Instant?
    }

    private let state: Mutex<State>

    init(_ machine: DriveMachine) { state = Mutex(State(machine: machine)) }

    var isUndelivered: Bool { state.withLock { $0.delivery == nil } }

    var isOverNewLink: Bool {
        get { state.withLock(\.isOverNewLink) }
        set { state.withLock { $0.isOverNewLink = newValue } }
    }

    func run(over session: RobotSession, _ report: @Sendable (RobotMessage) -> Void) async throws {
        try await send(state.withLock { $0.machine.stop(at: session.clock.now) }, over: session)
        while let deadline = state.withLock(\.machine.nextDeadline) {
            let message = try await session.next(before: deadline)
            let now = session.clock.now
            var lines: [RobotLine] = []
            if let message {
                report(message)
                if case .bumper(let hit) = message { lines = state.withLock { $0.machine.collided(hit, at: now) } }
            }
            if now >= deadline { lines += state.withLock { $0.machine.wake(at: now) } }
            try await send(lines, over: session)
        }
        state.withLock { $0.isWhole = $0.machine.isOver }
    }

    /// A new link comes after any collision's window.
    func finish(over session: RobotSession) async throws {
        try await send([.drive(.still)] + state.withLock(\.machine.farewell), over: session)
        state.withLock { $0.isWhole = true }
    }

    private func send(_ lines: [RobotLine], over session: RobotSession) async throws {
        state.withLock { $0.begun = $0.begun ?? session.clock.now }
        for line in lines {
            let delivery = try await session.send(line)
            guard line == .drive(.still) else { continue }
            state.withLock { state in
                state.delivery = state.delivery ?? delivery
                state.latency = state.latency ?? state.begun.map { $0.duration(to: session.clock.now) }
            }
        }
    }

    func result(_ deadMan: DeadMan) -> RobotStop {
        state.withLock {
            RobotStop(
                delivery: $0.delivery, isOverNewLink: $0.isOverNewLink, latency: $0.latency, isWhole: $0.isWhole,
                deadManMilliseconds: deadMan.milliseconds)
        }
    }
}
