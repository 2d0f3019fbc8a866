import Bluetooth
import Foundation
import REPL
import Support
import TestSupport
import Testing
import VirtualDevices
import VirtualFaults

@testable import Assistant
@testable import MonocleFamily

/// A chat that ends while it asks the unit at its prompt leaves the unit's program running.
@Suite(.enabled(if: TestTools.mayRunMicroPython, "MicroPython is missing: run Tools/setup tests"))
struct PutBackTests {
    /// Tells that it lives, and of each start.
    private static let main = """
        import time
        with open("starts.txt", "a") as file:
            file.write("x")
        while True:
            with open("alive.txt", "w") as file:
                file.write(str(time.ticks_ms()))
            time.sleep_ms(50)
        """

    static func with(
        faults: FaultPlan = FaultPlan(), _ body: @escaping @Sendable (VirtualCentral, VirtualUnit, URL) async throws -> Void
    ) async throws {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent("noafw-back-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: root) }
        let folder = try UnitFolder.monocle(root: root, name: "back")
        try Data(main.utf8).write(to: root.appendingPathComponent("files/main.py"))
        var configuration = UnitConfiguration(python: try TestTools.require(TestTools.python, "the Python of .venv"))
        configuration.faults = faults
        let air = VirtualAir(time: .simulated())
        let unit = try VirtualUnit.monocle(folder: folder, configuration: configuration, air: air)
        try await air.time.run {
            try await withVirtualUnit(unit) {
                try await air.time.clock.sleep(until: air.time.clock.deadline(in: .seconds(2)))
                try await body(VirtualCentral(air: air), unit, root.appendingPathComponent("files"))
            }
        }
    }

    static func isAlive(_ files: URL, _ clock: SessionClock) async throws -> Bool {
        let file = files.appendingPathComponent("alive.txt")
        try await clock.sleep(until: clock.deadline(in: .milliseconds(500)))
        let before = try? Data(contentsOf: file)
        try await clock.sleep(until: clock.deadline(in: .milliseconds(500)))
        return try before != nil && before != Data(contentsOf: file)
    }

    /// - Returns: how long the end took; `nil` when the start was quicker.
    private static func cancel(after delay: Duration, _ central: VirtualCentral, _ unit: VirtualUnit) async throws -> Duration? {
        let clock = central.clock
        let connection = try await central.connect(to: unit.address, deadline: clock.deadline(in: .seconds(20)))
        let time = try await withThrowingTaskGroup(of: Bool.self) { group -> Duration? in
            group.addTask {
                do {
                    _ = try await MonocleConsole.chatStarter(clock: clock)(connection) {}
                    return true
                } catch is CancellationError {
                    return false
                }
            }
            try await clock.sleep(until: clock.deadline(in: delay))
            let start = clock.now
            group.cancelAll()
            return try await group.next() == true ? nil : start.duration(to: clock.now)
        }
        await connection.disconnect()
        return time
    }

    @Test func cancelledAtAnyMomentItRunsOn() async throws {
        try await Self.with { central, unit, files in
            var count = 0
            while let time = try await Self.cancel(after: .milliseconds(count * (TestRange.isFull ? 5 : 20)), central, unit) {
                #expect(time <= .seconds(2))
                #expect(try await Self.isAlive(files, central.clock), "cancelled at step \(count)")
                count += 1
            }
            #expect(count > 10)
        }
    }

    /// What is lost between the prompt and the start costs time, not the chat.
    @Test(arguments: 1...12) func oneLostNotificationIsAskedForAgain(number: Int) async throws {
        var faults = FaultPlan()
        faults.lostNotifications = [number]
        try await Self.with(faults: faults) { central, unit, files in
            let clock = central.clock
            let connection = try await central.connect(to: unit.address, deadline: clock.deadline(in: .seconds(20)))
            let started = try await MonocleConsole.chatStarter(clock: clock)(connection) {}
            #expect(started.status.batteryPercent == 80)
            #expect(try await Self.isAlive(files, clock))
            await connection.disconnect()
        }
    }

    /// Also in the middle of code that does not end; unless it was to be left at its prompt.
    @Test func afterAFailureItRunsOn() async throws {
        try await Self.with { central, unit, files in
            let clock = central.clock
            let connection = try await central.connect(to: unit.address, deadline: clock.deadline(in: .seconds(20)))
            struct Refused: Error {}
            for leavesProgram in [false, true] {
                await #expect(throws: Refused.self) {
                    try await PythonREPL.visit(connection, clock: clock, within: .seconds(15), leavesProgram: leavesProgram) { repl in
                        _ = try? await repl.run(PythonCode("while 1:\n pass"), within: .milliseconds(300))
                        throw Refused()
                    }
                }
                #expect(try await Self.isAlive(files, clock) != leavesProgram)
            }
            await connection.disconnect()
        }
    }
}
