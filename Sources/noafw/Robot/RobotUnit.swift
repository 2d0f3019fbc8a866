import Bluetooth
import OpenBotFamily
import Provisioning
import Support
import Synchronization

struct RobotUnit: Sendable {
    let session: RobotSession
    let address: DeviceAddress
    /// Makes a new link; without a question for the features it serves only a stop.
    let reconnect: @Sendable (_ asksFeatures: Bool) async throws -> RobotSession
    /// All reports so far.
    let readings = SharedReadings()

    var clock: SessionClock { session.clock }

    private static let connectTimeout = Duration.seconds(20)

    /// - Throws: when the body has none of the features, or they are unknown.
    func send(_ line: RobotLine, needing feature: RobotFeatures.Feature, or other: RobotFeatures.Feature? = nil) async throws
        -> RobotReport.Sent
    {
        guard let features = session.features else { throw RobotError.oldOrForeign }
        guard features.has(feature) || other.map(features.has) == true else {
            throw RobotCommandError.noFeature(feature.words, body: features.body)
        }
        return RobotReport.Sent(line: line, delivery: try await session.send(line))
    }
}

/// Readings that one task stores and another one shows.
final class SharedReadings: Sendable {
    private let value = Mutex(RobotReadings())

    var now: RobotReadings { value.withLock(\.self) }

    func take(_ message: RobotMessage, at time: SessionClock.Instant) { value.withLock { $0.take(message, at: time) } }
}

extension RobotUnit {
    /// Links to a robot and runs `body`.
    static func link(
        _ unit: StationUnit, _ body: @escaping @Sendable (RobotUnit) async throws -> RobotReport
    ) async throws -> RobotReport {
        let clock = unit.central.clock
        // A robot has one link at a time: the last one made is the one to end.
        let last = Mutex<(any Connection)?>(nil)
        let open = { @Sendable (asksFeatures: Bool) in
            await last.withLock(\.self)?.disconnect()
            let connection = try await unit.central.connect(to: unit.address, deadline: clock.deadline(in: connectTimeout))
            last.withLock { $0 = connection }
            return try await RobotSession.open(connection, clock: clock, asksFeatures: asksFeatures)
        }
        do {
            let report = try await body(RobotUnit(session: try await open(true), address: unit.address, reconnect: open))
            await last.withLock(\.self)?.disconnect()
            return report
        } catch {
            await last.withLock(\.self)?.disconnect()
            throw error
        }
    }
}
