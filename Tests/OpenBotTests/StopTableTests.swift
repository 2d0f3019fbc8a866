import Bluetooth
import Foundation
import Support
import Synchronization
import Testing

@testable import OpenBotFamily
@testable import VirtualDevices

/// When the motors of a driven robot are still, after whatever ends the drive: the recorded duties, not what the client believes.
/// NOAFW_SHOW_STOPS prints the table.
@Suite struct StopTableTests {
    struct Failure: Error {}

    /// What a scenario came to.
    private struct Outcome: Sendable {
        /// When the drive's end began.
        var end: Duration
        /// `nil` for a process that died.
        var ending: RobotDrive.Ending?
    }

    private static let duties = Duties(left: 120, right: 110)
    /// One line and its answer, over a link of 30 ms; the loop takes 1 ms.
    private static let line = Duration.milliseconds(65)
    /// The dead-man of 400 ms.
    private static let deadMan = Duration.milliseconds(402)
    /// A collision's window of 750 ms.
    private static let window = Duration.milliseconds(755)

    private static func check(
        _ name: String, within limit: Duration, body: String = "default",
        _ scenario: @escaping @Sendable (RobotBench, RobotSession) async throws -> Outcome
    ) async throws -> RobotDrive.Ending? {
        let result = Mutex<RobotDrive.Ending?>(nil)
        try await withRobot(body) { bench in
            let session = try await bench.session()
            let outcome = try await scenario(bench, session)
            try await bench.pause(3000)
            #expect(bench.motors.all.contains { $0.left == 120 }, "\(name) never moved")
            let rest = try #require(bench.motors.rest(after: outcome.end), "\(name) still moves") - outcome.end
            #expect(rest <= limit, "\(name): \(rest)")
            if ProcessInfo.processInfo.environment["NOAFW_SHOW_STOPS"] != nil {
                let stop = outcome.ending?.stop
                print("| \(name) | \(Int(rest / .milliseconds(1))) ms | \(stop?.delivery.map { "\($0)" } ?? "-") |",
                    stop?.latency.map { "\(Int($0 / .milliseconds(1))) ms" } ?? "-", "|")
            }
            if let ending = outcome.ending { #expect(ending.stop.isWhole && ending.stop.delivery == .proved, "\(name): \(ending)") }
            result.withLock { $0 = outcome.ending }
        }
        return result.withLock(\.self)
    }

    /// Drives for a second, then does what ends it.
    private static func drive(
        _ bench: RobotBench, _ session: RobotSession, endsAtCollision: Bool = true,
        _ last: @escaping @Sendable (RobotDrive.Steering) async throws -> Void
    ) async throws -> Outcome {
        let drive = bench.drive(session)
        _ = try await drive.prepare()
        let end = Mutex(Duration.zero)
        let ending = await drive.run(endsAtCollision: endsAtCollision) { steering in
            steering.set(duties)
            try await bench.pause(1000)
            #expect(bench.duties == [120, 110])
            end.withLock { $0 = bench.clock.now.offset }
            try await last(steering)
        }
        return Outcome(end: end.withLock(\.self), ending: ending)
    }

    /// The same, cancelled so long after it began: a signal cancels the task.
    private static func cancelled(
        after milliseconds: Int, _ bench: RobotBench, _ drive: @escaping @Sendable () async throws -> Outcome
    ) async throws -> Outcome {
        try await withThrowingTaskGroup(of: Outcome?.self) { group in
            group.addTask { try await drive() }
            group.addTask {
                try await bench.pause(milliseconds)
                return nil
            }
            _ = try await group.next()
            let end = bench.clock.now.offset
            group.cancelAll()
            let outcome = try await group.next() ?? nil
            return Outcome(end: end, ending: outcome?.ending)
        }
    }

    @Test func itsOwnEnd() async throws {
        let ending = try await Self.check("end of the drive", within: Self.line) { try await Self.drive($0, $1) { _ in } }
        #expect(ending?.cause == nil)
    }

    @Test func anError() async throws {
        let ending = try await Self.check("exception", within: Self.line) { try await Self.drive($0, $1) { _ in throw Failure() } }
        #expect(ending?.cause is Failure)
    }

    @Test(arguments: ["Ctrl-C", "SIGTERM"]) func aSignal(name: String) async throws {
        let ending = try await Self.check(name, within: Self.line) { bench, session in
            try await Self.cancelled(after: 1700, bench) { try await Self.drive(bench, session) { _ in try await bench.pause(60_000) } }
        }
        #expect(ending?.cause is CancellationError)
    }

    @Test func aTimeOut() async throws {
        let ending = try await Self.check("time-out", within: Self.line) { bench, session in
            let end = bench.clock.deadline(in: .milliseconds(1600))
            let result = Mutex<Outcome?>(nil)
            await #expect(throws: Failure.self) {
                try await withDeadline(end, on: bench.clock, timeout: Failure()) {
                    let outcome = try await Self.drive(bench, session) { _ in try await bench.pause(60_000) }
                    result.withLock { $0 = outcome }
                }
            }
            return Outcome(end: end.offset, ending: result.withLock { $0?.ending })
        }
        #expect(ending?.cause is CancellationError)
    }

    /// bluetoothd keeps the link of a process that died: nobody feeds the dead-man.
    @Test func aKilledProcessWhoseLinkStays() async throws {
        _ = try await Self.check("SIGKILL, link stays", within: Self.deadMan) { try await Self.killed($0, $1) {} }
    }

    @Test func aKilledProcessWhoseLinkGoes() async throws {
        _ = try await Self.check("SIGKILL, link lost", within: Self.deadMan) { bench, session in
            try await Self.killed(bench, session) { bench.unit.stimulate(.cut(.link)) }
        }
    }

    /// Feeds as a drive does, and then no more.
    private static func killed(_ bench: RobotBench, _ session: RobotSession, _ end: @Sendable () -> Void) async throws -> Outcome {
        var machine = DriveMachine(features: session.features)
        try await session.send(machine.drive(duties, at: bench.clock.now))
        for _ in 0..<8 {
            try await bench.clock.sleep(until: try #require(machine.nextDeadline))
            try await session.send(machine.wake(at: bench.clock.now))
        }
        #expect(bench.duties == [120, 110])
        end()
        return Outcome(end: bench.clock.now.offset, ending: nil)
    }

    /// A computer that is busy for that long, in ms: the duties are there again two meals later at most.
    @Test(arguments: Array(stride(from: 200, to: 500, by: 20))) func aLateFeedIsNoEnd(pause: Int) async throws {
        try await withRobot { bench in
            let session = try await bench.session()
            var machine = DriveMachine(features: session.features)
            try await session.send(machine.drive(Self.duties, at: bench.clock.now))
            try await bench.pause(pause)
            let isStill = bench.duties == [0, 0]
            #expect(isStill || pause < 400)
            try await session.send(machine.wake(at: bench.clock.now))
            try await bench.clock.sleep(until: try #require(machine.nextDeadline))
            try await session.send(machine.wake(at: bench.clock.now))
            try await bench.pause(40)
            #expect(bench.duties == [120, 110])
            try await session.send(machine.stop(at: bench.clock.now))
        }
    }

    /// It is stopped over a new link, and not driven again.
    @Test(arguments: [UserInput.Cut.link, .power]) func aLostLink(cut: UserInput.Cut) async throws {
        let ending = try await Self.check("\(cut) lost", within: cut == .link ? Self.deadMan : .zero) { bench, session in
            try await Self.drive(bench, session) { _ in
                bench.unit.stimulate(.cut(cut))
                try await bench.pause(60_000)
            }
        }
        #expect(ending?.stop.isOverNewLink == true)
        guard case RobotError.linkLost(_, stopped: true)? = ending?.cause else { Issue.record("\(String(describing: ending))"); return }
    }

    @Test func aCollision() async throws {
        let ending = try await Self.check("bumper", within: .milliseconds(3)) { bench, session in
            try await Self.drive(bench, session) { _ in
                bench.unit.stimulate(.bumper("cf"))
                try await bench.pause(3)
                bench.unit.stimulate(.bumper(nil))
                try await bench.pause(60_000)
            }
        }
        #expect(ending?.cause as? RobotError == .collided(Bumper(code: "cf")))
    }

    /// A command to back out was on its way when the bumper was hit: within the window neither `c0,0` nor the dead-man is applied. The
    /// motors have no force as soon as the first lines after the collision arrive.
    @Test(arguments: ["cf", "rb"]) func anErrorWhileItBacksOut(code: String) async throws {
        let weak = Mutex<Int?>(nil)
        _ = try await Self.check("bumper, backing out, exception (\(code))", within: Self.window) { bench, session in
            let back = code == "cf" ? Duties(left: -130, right: -130) : Duties(left: 130, right: 130)
            let outcome = try await Self.drive(bench, session, endsAtCollision: false) { steering in
                bench.unit.stimulate(.bumper(code))
                try await bench.pause(3)
                bench.unit.stimulate(.bumper(nil))
                steering.set(back)
                try await bench.pause(250)
                throw Failure()
            }
            #expect(bench.motors.all.contains { $0.left == back.left })
            weak.withLock { $0 = bench.motors.mostDuty(from: outcome.end + .milliseconds(200)) }
            return outcome
        }
        #expect(weak.withLock { $0 } == 1)
    }

    @Test func aRobotThatMustNotBeDriven() async throws {
        try await withRobot { bench in
            bench.unit.stimulate(.battery(volts: 8.5))
            let session = try await bench.session()
            let error = await #expect(throws: RobotError.self) { _ = try await bench.drive(session).prepare() }
            guard case .batteryLow(let volts, low: 9)? = error else { Issue.record("\(String(describing: error))"); return }
            #expect(volts < 9)
        }
        try await withRobot("early") { bench in
            let session = try await bench.session()
            #expect(session.features == nil)
            await #expect(throws: RobotError.oldOrForeign) { _ = try await bench.drive(session).prepare() }
            let ending = await bench.drive(session).run { $0.set(Self.duties) }
            #expect(ending.stop.delivery == .proved && bench.motors.all.allSatisfy(\.isStill))
        }
        try await withRobot(mtu: 0) { bench in
            await #expect(throws: RobotError.payloadTooSmall(20)) { _ = try await bench.session() }
        }
    }

    /// A body that reports no voltage is driven; the body's answer decides which lines there are.
    @Test func aBodyWithoutLamps() async throws {
        _ = try await Self.check("end of the drive (MTV)", within: Self.line, body: "mtv") { try await Self.drive($0, $1) { _ in } }
    }
}
