import Bluetooth
import Foundation
import MonocleFamily
import REPL
import Support
import TestSupport
import Testing
import VirtualDevices

@testable import noafw

/// A console that ends early leaves the unit's program running.
@Suite(.enabled(if: TestTools.mayRunMicroPython, "MicroPython is missing: run Tools/setup tests"))
struct ConsoleEndTests {
    private static let main = """
        import time
        while True:
            with open("alive.txt", "w") as file:
                file.write(str(time.ticks_ms()))
            time.sleep_ms(50)
        """

    private static func with(
        _ body: @escaping @Sendable (VirtualCentral, VirtualDevices.VirtualUnit, URL) async throws -> Void
    ) async throws {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent("noafw-end-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: root) }
        let folder = try UnitFolder.monocle(root: root, name: "end")
        try Data(main.utf8).write(to: root.appendingPathComponent("files/main.py"))
        let air = VirtualAir(time: .simulated())
        let unit = try VirtualDevices.VirtualUnit.monocle(
            folder: folder, configuration: UnitConfiguration(python: try TestTools.require(TestTools.python, "the Python of .venv")),
            air: air)
        try await air.time.run {
            try await withVirtualUnit(unit) {
                try await pause(.seconds(2), air.time.clock)
                try await body(VirtualCentral(air: air), unit, root.appendingPathComponent("files/alive.txt"))
            }
        }
    }

    private static func pause(_ duration: Duration, _ clock: SessionClock) async throws {
        try await clock.sleep(until: clock.deadline(in: duration))
    }

    private static func isAlive(_ file: URL, _ clock: SessionClock) async throws -> Bool {
        try await pause(.milliseconds(500), clock)
        let before = try Data(contentsOf: file)
        try await pause(.milliseconds(500), clock)
        return try before != Data(contentsOf: file)
    }

    private static func request(staying: Bool) -> ConsoleRequest {
        ConsoleRequest(
            unit: UnitSelection(units: .virtual([VirtualUnitName(family: .monocle, name: "end")], .maximum)),
            inputs: AssetInputs(search: AssetSearch(given: nil, environment: [:], currentDirectory: "/", executable: nil)),
            staysAtPrompt: staying, stateFolder: "/")
    }

    /// The unit keeps its power when the session is over.
    @Test(arguments: [false, true]) func theProgramIsLeftRunningUnlessToldOtherwise(staying: Bool) async throws {
        try await Self.with { central, unit, file in
            let clock = central.clock
            let connection = try await central.connect(to: unit.address, deadline: clock.deadline(in: .seconds(20)))
            _ = try await LiveServices.attend(Self.request(staying: staying), connection, clock) { repl in
                _ = try await repl.run(PythonCode("1"), within: .seconds(10))
                return ConsoleVerdict()
            }
            await connection.disconnect()
            try await Self.pause(.seconds(2), clock)
            #expect(try await Self.isAlive(file, clock) == !staying)
        }
    }

    /// - Returns: how long the end took, and whether the prompt was there before.
    private static func cancel(
        after delay: Duration, staying: Bool, _ central: VirtualCentral, _ unit: VirtualDevices.VirtualUnit
    ) async throws -> (time: Duration, wasThere: Bool) {
        let clock = central.clock
        let request = request(staying: staying)
        let prompts = Inbox<Void>()
        let connection = try await central.connect(to: unit.address, deadline: clock.deadline(in: .seconds(20)))
        let end = try await withThrowingTaskGroup(of: Void.self) { group -> (Duration, Bool) in
            group.addTask {
                _ = try await LiveServices.attend(request, connection, clock) { repl in
                    prompts.deliver(())
                    _ = try await repl.run(PythonCode("while 1:\n pass"), within: .seconds(100))
                    return ConsoleVerdict()
                }
            }
            try await pause(delay, clock)
            let start = clock.now
            group.cancelAll()
            await #expect(throws: CancellationError.self) { try await group.next() }
            return (start.duration(to: clock.now), prompts.poll() != nil)
        }
        await connection.disconnect()
        return end
    }

    @Test func cancelledAtAnyMomentTheProgramRunsOn() async throws {
        try await Self.with { central, unit, file in
            // Also well into code that does not end.
            var (delay, there) = (Duration.zero, 0)
            while there < 5, delay < .seconds(10) {
                delay += .milliseconds(TestRange.isFull ? 10 : 50)
                let (time, wasThere) = try await Self.cancel(after: delay, staying: false, central, unit)
                there += wasThere ? 1 : 0
                #expect(time <= .seconds(2) + .milliseconds(100), "cancelled after \(delay): \(time)")
                #expect(try await Self.isAlive(file, central.clock), "cancelled after \(delay)")
            }
            #expect(there == 5)
            #expect(try await Self.cancel(after: delay + .seconds(1), staying: true, central, unit).wasThere)
            #expect(try await !Self.isAlive(file, central.clock))
        }
    }
}
