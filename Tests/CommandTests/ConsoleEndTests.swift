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

    private static func with(_ body: @escaping @Sendable (VirtualCentral, VirtualDevices.VirtualUnit, URL) async throws -> Void) async throws {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent("noafw-end-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: root) }
        let folder = try UnitFolder.monocle(root: root, name: "end")
        try Data(main.utf8).write(to: root.appendingPathComponent("files/main.py"))
        let air = VirtualAir(time: .simulated())
        let unit = try VirtualDevices.VirtualUnit.monocle(
            folder: folder, configuration: MonocleConfiguration(python: try TestTools.require(TestTools.python, "the Python of .venv")), air: air)
        try await air.time.run {
            try await withVirtualUnit(unit) {
                try await pause(.seconds(2), air.time.clock)
                try await body(VirtualCentral(air: air), unit, root.appendingPathComponent("files/alive.txt"))
            }
        }
    }

    /// A link that the test ends itself: a cancelled task does not wait for the virtual link's end, and the unit then keeps it.
    private struct Kept: Connection {
        let link: any Connection
        var address: DeviceAddress { link.address }
        var payloadSize: Int { link.payloadSize }

        func write(_ value: [UInt8], to target: AttributeID, deadline: SessionClock.Instant) async throws {
            try await link.write(value, to: target, deadline: deadline)
        }
        func openChannel(to target: AttributeID, deadline: SessionClock.Instant) async throws -> any WriteChannel {
            try await link.openChannel(to: target, deadline: deadline)
        }
        func subscribe(to target: AttributeID, deadline: SessionClock.Instant) async throws -> Inbox<[UInt8]> {
            try await link.subscribe(to: target, deadline: deadline)
        }
        func disconnect() async {}
        func waitUntilGone(deadline: SessionClock.Instant) async throws { try await link.waitUntilGone(deadline: deadline) }
    }

    /// A unit that is connected to already.
    private struct Linked: Central {
        let connection: any Connection
        let clock: SessionClock

        func discover() async throws -> any Discovery { throw LinkError.unavailable("no discovery") }
        func connect(
            to address: DeviceAddress, security: LinkSecurity, deadline: SessionClock.Instant
        ) async throws -> any Connection { connection }
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

    /// - Returns: how long the end took, and whether the prompt was there before.
    private static func cancel(
        after delay: Duration, staying: Bool, _ central: VirtualCentral, _ unit: VirtualDevices.VirtualUnit
    ) async throws -> (time: Duration, wasThere: Bool) {
        let clock = central.clock
        let request = ConsoleRequest(
            unit: .virtual(VirtualUnitSelection(name: VirtualUnitName(family: .monocle, name: "end"), speed: .maximum)), inputs: AssetInputs(search: AssetSearch(
                given: nil, environment: [:], currentDirectory: "/", executable: nil)), staysAtPrompt: staying, stateFolder: "/")
        let prompts = Inbox<Void>()
        let connection = try await central.connect(to: unit.address, deadline: clock.deadline(in: .seconds(20)))
        let end = try await withThrowingTaskGroup(of: Void.self) { group -> (Duration, Bool) in
            group.addTask {
                _ = try await LiveServices.attend(request, Linked(connection: Kept(link: connection), clock: clock), unit.address) { repl in
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
