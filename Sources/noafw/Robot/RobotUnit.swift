import Bluetooth
import OpenBotFamily
import Provisioning
import Support
import Synchronization

/// A robot with a link to it.
struct RobotUnit: Sendable {
    let session: RobotSession
    let address: DeviceAddress
    /// Makes a link that is only for a stop.
    let reconnect: @Sendable () async throws -> RobotSession
    /// What was reported so far.
    let readings = SharedReadings()

    var clock: SessionClock { session.clock }

    private static let connectTimeout = Duration.seconds(20)

    /// - Throws: where the body was built without it, or did not say what it is.
    func send(_ line: RobotLine, needing feature: RobotFeatures.Feature) async throws -> RobotReport.Sent {
        guard let features = session.features else { throw RobotError.oldOrForeign }
        guard features.has(feature) else { throw RobotCommandError.noFeature(feature.words, body: features.body) }
        return RobotReport.Sent(line: line, delivery: try await session.send(line))
    }
}

/// Readings that one task takes and another one shows.
final class SharedReadings: Sendable {
    private let value = Mutex(RobotReadings())

    var now: RobotReadings { value.withLock(\.self) }

    func take(_ message: RobotMessage, at time: SessionClock.Instant) { value.withLock { $0.take(message, at: time) } }
}

extension RobotUnit {
    /// Links to a robot, and has `body` use it.
    static func link(
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
                reconnect: {
                    let connection = try await connect()
                    do {
                        return try await RobotSession.open(connection, clock: clock, asksFeatures: false)
                    } catch {
                        await connection.disconnect()
                        throw error
                    }
                }))
            await connection.disconnect()
            return report
        } catch {
            await connection.disconnect()
            throw error
        }
    }
}
