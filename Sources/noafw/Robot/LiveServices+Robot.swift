import Bluetooth
import OpenBotFamily
import Provisioning
import Support
import Synchronization

struct RobotRequest: Sendable {
    var unit: UnitSelection
    var search: AssetSearch
    var stateFolder: String
    /// As the record has it.
    var verb: String
    /// `nil` for a run that is not recorded.
    var records: RecordInputs?
    var notice: @Sendable (String) -> Void
}

/// A robot with a link to it.
struct RobotUnit: Sendable {
    let session: RobotSession
    let address: DeviceAddress
    /// Makes a link that is only for a stop.
    let reconnect: @Sendable () async throws -> RobotSession
    /// What was reported so far.
    let readings = SharedReadings()

    var clock: SessionClock { session.clock }

    private static let voltageTimeout = Duration.seconds(2)

    /// - Throws: where the body was built without it, or did not say what it is.
    func send(_ line: RobotLine, needing feature: RobotFeatures.Feature) async throws -> RobotReport.Sent {
        guard let features = session.features else { throw RobotError.oldOrForeign }
        guard features.has(feature) else { throw RobotCommandError.noFeature(feature.words, body: features.body) }
        return RobotReport.Sent(line: line, delivery: try await session.send(line))
    }

    /// `nil` for a body that reports none.
    func firstVoltage() async throws -> Double? {
        guard session.features?.has(.voltage) == true else { return nil }
        try await session.send(.voltage(RobotReadings.voltageInterval))
        let deadline = clock.deadline(in: Self.voltageTimeout)
        while let message = try await session.next(before: deadline) {
            if case .voltage(let volts) = message { return volts }
        }
        throw RobotError.noVoltage
    }
}

/// Readings that one task takes and another one shows.
final class SharedReadings: Sendable {
    private let value = Mutex(RobotReadings())

    var now: RobotReadings { value.withLock(\.self) }

    func take(_ message: RobotMessage, at time: SessionClock.Instant) { value.withLock { $0.take(message, at: time) } }
}

/// What became of a robot's run.
struct RobotReport: RecordedReport {
    struct Sent: Sendable, Hashable {
        var line: RobotLine
        var delivery: RobotSession.Delivery
    }

    var identity: UnitIdentity
    var features: RobotFeatures?
    /// V.
    var voltage: Double?
    var sent: [Sent] = []
    /// Of a drive.
    var stop: RobotStop?
    /// Of a test; `nil` for other verbs.
    var checks: [RobotCheck]?
    var run: RunIdentity?
    var failed: Diagnosis?

    var recoveries: [Recovery] { [] }
    /// Nothing verified is never passed.
    var failure: Diagnosis? {
        if let failed { return failed }
        guard let checks else { return nil }
        guard !checks.isEmpty else { return RobotCommandError.nothingTested.diagnosis }
        let bad = checks.filter { $0.result == .failed }
        return bad.isEmpty ? nil : RobotCommandError.testFailed(bad.map(\.name)).diagnosis
    }
    var error: Diagnosis? { failure }
    var passed: Bool { failure == nil }
}

extension LiveServices {
    private static let connectTimeout = Duration.seconds(20)

    func robot(
        _ request: RobotRequest, _ body: @escaping @Sendable (RobotUnit) async throws -> RobotReport
    ) async throws -> RobotReport {
        let events: Events = { if case .notice(let text) = $0.content { request.notice(text) } }
        if case .virtual(let names, _) = request.unit.units, let other = names.first(where: { $0.family != .openbot }) {
            throw CommandError.unsupported("robot", family: other.family)
        }
        let identity = Mutex<RunIdentity?>(nil)
        var report = try await withUnit(
            request.unit.only([.openbot]), search: request.search, stateFolder: request.stateFolder, events: events
        ) { unit in
            guard let records = request.records else { return try await Self.link(unit, body) }
            return try await recording(records, stateFolder: request.stateFolder, events: events) { recorder in
                let run = UnitRun(
                    stateFolder: request.stateFolder, recorder: recorder, events: events,
                    recorded: { record in identity.withLock { $0 = record.map { RunIdentity($0) } } }, isTaken: true)
                return try await work(request.verb, on: unit, AssetSet(), run) { events, _ in
                    let report = try await Self.link(unit, body)
                    events(RunEvent(unit: nil, time: unit.central.clock.now, content: .probed(report.identity)))
                    return report
                }
            }
        }
        report.run = identity.withLock(\.self)
        return report
    }

    private static func link(
        _ unit: StationUnit, _ body: @escaping @Sendable (RobotUnit) async throws -> RobotReport
    ) async throws -> RobotReport {
        let clock = unit.central.clock
        let connect = { @Sendable in
            try await unit.central.connect(to: unit.address, deadline: clock.deadline(in: connectTimeout))
        }
        let connection = try await connect()
        do {
            let session = try await RobotSession.open(connection, clock: clock)
            let report = try await body(RobotUnit(
                session: session, address: unit.address,
                reconnect: { try await RobotSession.open(try await connect(), clock: clock, asksFeatures: false) }))
            await connection.disconnect()
            return report
        } catch {
            await connection.disconnect()
            throw error
        }
    }
}
