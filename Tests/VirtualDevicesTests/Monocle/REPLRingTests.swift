import Bluetooth
import Foundation
import Support
import TestSupport
import Testing
@testable import VirtualDevices

/// The two rings between radio and REPL (monocle-micropython v23.248.0754, `main.c`: SD_EVT_IRQHandler,
/// mp_hal_stdout_tx_strn, ble_send_repl_data).
@Suite(.enabled(if: TestTools.mayRunMicroPython, "the interpreter is missing: run Tools/setup tests"))
struct REPLRingTests {
    private static func files(_ main: String) -> (UnitFolder) throws -> Void {
        { try Data(main.utf8).write(to: $0.files.appendingPathComponent("main.py")) }
    }

    /// A client that floods a busy unit cannot interrupt it any more: the check for room comes before every other.
    @Test func aFullRingTakesNeitherAnInterruptNorTheSafeModeByte() async throws {
        try await withUnit { unit, central, _ in
            let terminal = try await Terminal.raw(unit, central)
            try await terminal.send("import time\ntry:\n time.sleep(20)\nfinally:\n print('slept')\n\u{4}")
            _ = try await terminal.read(until: "OK")
            try await terminal.send(String(repeating: "#", count: 1100))
            try await terminal.send("\u{3}\u{1C}")
            let start = central.clock.now
            #expect(try await terminal.read(until: "\u{4}>", patience: .seconds(30)) == "slept\r\n\u{4}\u{4}>")
            #expect(start.duration(to: central.clock.now) > .seconds(15))
        }
    }

    /// `^C^C^A` in one packet while code runs: both act, each leaves what lay in its place of the ring, and so the mode
    /// does not change. Only asking again gets through.
    @Test func everyActedInterruptLeavesAStaleByte() async throws {
        try await withUnit(prepare: Self.files("import time\nwhile True: time.sleep(1)\n")) { unit, central, _ in
            let terminal = try await Terminal.open(unit, central)
            // Two times round the ring, so that letters lie in every place, and only letters.
            try await terminal.send("\u{3}")
            _ = try await terminal.read(until: ">>> ")
            for _ in 0..<12 {
                try await terminal.send(String(repeating: "x", count: 95) + "\r")
                _ = try await terminal.read(until: ">>> ")
            }
            try await terminal.send("import time;time.sleep(30)\r")
            _ = try await terminal.read(until: "\r\n")
            try await terminal.send("\u{3}\u{3}\u{1}")
            let answer = try await terminal.read(until: "raw REPL; CTRL-B to exit\r\n>", patience: .seconds(2))
            #expect(answer.contains("KeyboardInterrupt"))
            #expect(!answer.hasSuffix("raw REPL; CTRL-B to exit\r\n>"))
            try await terminal.enterRawREPL()
        }
    }

    /// A client that asks for long answers loses them: while the read position is 0 a full ring is not noticed.
    @Test func outputAtPositionZeroLoses1024Bytes() async throws {
        try await withUnit(prepare: Self.files("import sys, time\nsys.stdout.write('x' * 1500)\nwhile True: time.sleep(1)\n")) {
            unit, central, _ in
            let terminal = try await Terminal.open(unit, central)
            #expect(try await terminal.read(until: "never", patience: .seconds(3)) == String(repeating: "x", count: 476))
        }
    }

    @Test func aFloodOfOutputLosesMostOfIt() async throws {
        try await withUnit { unit, central, _ in
            let terminal = try await Terminal.raw(unit, central)
            try await terminal.send("for i in range(4000): print('%07d' % i + 'x' * 41)\n\u{4}")
            let answer = try await terminal.read(until: "\u{4}>", patience: .seconds(5))
            #expect(answer.utf8.count < 200_000 - 1024)
            #expect(answer.contains("0003999"))
        }
    }

    /// Nobody reads the ring while the unit compiles, collects or works on its flash.
    @Test func flashWorkDoesNotReadTheRing() async throws {
        try await withUnit { unit, central, _ in
            let terminal = try await Terminal.raw(unit, central)
            try await terminal.send("import update\nupdate.Fpga.erase()\n\u{4}")
            _ = try await terminal.read(until: "OK")
            try await terminal.send(String(repeating: "#", count: 2000) + "\nprint(7)\u{4}")
            #expect(try await terminal.read(until: "\u{4}>", patience: .seconds(10)) == "\u{4}\u{4}>")
            try await terminal.send("\u{3}")
            #expect(try await terminal.run("print(8)") == "8\n")
        }
    }

    /// An interrupt during the boot's frozen scripts is an ordinary byte: main.py runs all the same (pyexec_frozen_module).
    @Test func anInterruptBeforeMainDoesNotStopIt() async throws {
        try await withUnit(linkSetUp: .zero, prepare: Self.files("import time\nprint('main')\nwhile True: time.sleep(1)\n")) {
            unit, central, _ in
            let clock = central.clock
            let connection = try await central.connect(to: unit.address, deadline: clock.deadline(in: .seconds(10)))
            let channel = try await connection.openChannel(to: Terminal.receive, deadline: clock.deadline(in: .seconds(1)))
            try await channel.send([3], deadline: clock.deadline(in: .seconds(1)))
            await channel.close()
            let output = try await connection.subscribe(to: Terminal.transmit, deadline: clock.deadline(in: .seconds(1)))
            let terminal = Terminal(connection: connection, output: output, clock: clock)
            #expect(try await terminal.read(until: "main\r\n", patience: .seconds(2)) == "main\r\n")
            #expect(try await terminal.read(until: "never", patience: .seconds(2)) == "")
            try await terminal.enterRawREPL()
        }
    }

    /// Rails, touch, FPGA, camera and display come before the radio (monocle-startup.c, main.c): a client that gives a unit a
    /// second to come back gives up too early.
    @Test func theBootTakesLongerThanASecond() async throws {
        try await withUnit { unit, central, _ in
            _ = try await Terminal.raw(unit, central)
            let discovery = try await central.discover()
            let start = central.clock.now
            unit.stimulate(.cut(.power))
            let seen = try await discovery.sightings.next(before: central.clock.deadline(in: .seconds(10)), on: central.clock)
            await discovery.stop()
            #expect(seen?.address == unit.address)
            // Two seconds without power, then the boot.
            let boot = start.duration(to: central.clock.now) - .seconds(2)
            #expect(boot > .milliseconds(1600) && boot < .milliseconds(1900), "\(boot)")
        }
    }

    /// The safe-mode byte resets at once, whatever Python does, and only the next start leaves main.py out.
    @Test func safeModeLastsForOneStart() async throws {
        try await withUnit(prepare: Self.files("import time\nprint('main')\nwhile True: time.sleep(1)\n")) { unit, central, _ in
            let terminal = try await Terminal.open(unit, central)
            try await terminal.send("\u{1C}")
            try await terminal.connection.waitUntilGone(deadline: central.clock.deadline(in: .seconds(5)))
            let again = try await Terminal.open(unit, central)
            #expect(!(try await again.read(until: ">>> ")).contains("main"))
            try await again.send("\u{4}")
            #expect(try await again.read(until: "main\r\n").contains("soft reboot\r\nmain\r\n"))
        }
    }

    /// Several full packets fit an event: its length is the whole interval (main.c: event_length 300).
    @Test func severalFullPacketsFitAnEvent() async throws {
        try await withUnit { unit, central, _ in
            let terminal = try await Terminal.raw(unit, central)
            let start = central.clock.now
            try await terminal.send("#" + String(repeating: "x", count: 900) + "\nprint('y' * 900)\u{4}")
            _ = try await terminal.read(until: "\u{4}>")
            // Four packets there, four back: at one packet an interval it would be 120 ms.
            #expect(start.duration(to: central.clock.now) < .milliseconds(75))
        }
    }
}
