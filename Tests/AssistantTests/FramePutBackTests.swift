import Bluetooth
import REPL
import Support
import TestSupport
import Testing
import VirtualDevices

@testable import Assistant
@testable import FrameFamily

/// As ``PutBackTests``, for a Frame.
@Suite(.enabled(if: TestTools.mayRunMicroPython, "MicroPython is missing: run Tools/setup tests"))
struct FramePutBackTests {
    /// Tells that it lives.
    private static let main = "while true do print('alive') frame.sleep(0.1) end"

    private static func connect(_ central: VirtualCentral, _ unit: VirtualUnit) async throws -> any Connection {
        try await central.connect(to: unit.address, security: .bonded, deadline: central.clock.deadline(in: .seconds(20)))
    }

    private static func isAlive(_ central: VirtualCentral, _ unit: VirtualUnit) async throws -> Bool {
        let connection = try await connect(central, unit)
        let deadline = central.clock.deadline(in: .seconds(3))
        let printed = try await connection.subscribe(to: LuaService.transmit, deadline: deadline)
        var isAlive = false
        while !isAlive, let text = try await printed.next(before: deadline, on: central.clock) { isAlive = text == Array("alive".utf8) }
        await connection.disconnect()
        return isAlive
    }

    /// - Returns: how long the end took; `nil` when the start was quicker.
    private static func cancel(after delay: Duration, _ central: VirtualCentral, _ unit: VirtualUnit) async throws -> Duration? {
        let clock = central.clock
        let connection = try await connect(central, unit)
        let time = try await withThrowingTaskGroup(of: Bool.self) { group -> Duration? in
            group.addTask {
                do {
                    _ = try await FrameConsole.chatStarter(clock: clock)(connection) {}
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
        try await FrameChatBench.withUnit(main: Self.main) { central, unit, _ in
            try await central.clock.sleep(until: central.clock.deadline(in: .seconds(2)))
            #expect(try await Self.isAlive(central, unit), "at the beginning")
            var count = 0
            while let time = try await Self.cancel(after: .milliseconds(count * (TestRange.isFull ? 10 : 50)), central, unit) {
                #expect(time <= .seconds(2))
                #expect(try await Self.isAlive(central, unit), "cancelled at step \(count)")
                count += 1
            }
            #expect(count > 10)
        }
    }
}
