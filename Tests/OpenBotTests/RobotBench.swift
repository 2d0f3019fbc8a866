import Bluetooth
import Foundation
import Support
import TestSupport
import Testing

@testable import OpenBotFamily
@testable import VirtualDevices

/// A virtual robot on an air in virtual time, with a record of its motors.
struct RobotBench: Sendable {
    let unit: VirtualUnit
    let air: VirtualAir
    let central: VirtualCentral
    let motors: MotorRecorder
    let folder: UnitFolder

    var clock: SessionClock { air.time.clock }

    func soon(_ seconds: Double = 10) -> SessionClock.Instant { clock.deadline(in: .seconds(seconds)) }

    func pause(_ milliseconds: Int) async throws { try await clock.sleep(until: clock.deadline(in: .milliseconds(milliseconds))) }

    func connect(within seconds: Double = 10) async throws -> any Connection {
        try await central.connect(to: unit.address, deadline: soon(seconds))
    }

    func session() async throws -> RobotSession { try await RobotSession.open(try await connect(), clock: clock) }

    func drive(_ session: RobotSession) -> RobotDrive {
        RobotDrive(session, reconnect: { try await RobotSession.open(try await connect(), clock: clock, asksFeatures: false) })
    }

    /// The duties now.
    var duties: [Int] { motors.all.last.map { [$0.left, $0.right] } ?? [] }
}

/// - Parameter mtu: that the host asks for; 0 is none.
func withRobot(_ name: String = "default", mtu: Int = 517, _ body: @escaping @Sendable (RobotBench) async throws -> Void) async throws {
    let place = try TemporaryFolder()
    let folder = try UnitFolder.openbot(root: place.url.appendingPathComponent(name), name: name)
    let air = VirtualAir(time: .simulated())
    let motors = MotorRecorder()
    let unit = try VirtualUnit.openbot(folder: folder, configuration: UnitConfiguration(), air: air, recorder: motors)
    var central = VirtualCentral(air: air)
    central.requestedMTU = mtu
    let bench = RobotBench(unit: unit, air: air, central: central, motors: motors, folder: folder)
    try await air.time.run {
        try await withVirtualUnit(unit) { try await body(bench) }
    }
}

/// A client of the test's own: raw bytes, as anybody could write them.
struct RawClient: Sendable {
    let bench: RobotBench
    let connection: any Connection
    let messages: Inbox<[UInt8]>

    init(_ bench: RobotBench) async throws {
        self.bench = bench
        connection = try await bench.connect()
        messages = try await connection.subscribe(to: RobotAttributes.transmit, deadline: bench.soon())
    }

    func write(_ text: String) async throws {
        try await connection.write(Array(text.utf8), to: RobotAttributes.receive, deadline: bench.soon())
    }

    /// The messages of so long.
    func hear(for milliseconds: Int) async throws -> [String] {
        let end = bench.clock.deadline(in: .milliseconds(milliseconds))
        var heard: [String] = []
        while let message = try await messages.next(before: end, on: bench.clock) {
            heard.append(String(decoding: message, as: UTF8.self))
        }
        return heard
    }
}
