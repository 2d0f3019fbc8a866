import Bluetooth
import Foundation
import TestSupport
import Testing
@testable import VirtualDevices

@Suite(.enabled(if: TestTools.mayRunMicroPython, "MicroPython is missing: run Tools/setup tests"))
struct VirtualMonocleTests {
    @Test func factoryNewUnitTellsItsVersions() async throws {
        try await withUnit { unit, central, _ in
            let terminal = try await Terminal.open(unit, central)
            try await terminal.enterRawREPL()
            #expect(try await terminal.run("import device;print(device.VERSION)") == "v23.100.0927\n")
            #expect(try await terminal.run("import fpga;print(fpga.read(2,12),fpga.read(1,4))") == "b'v23.094.1109' b'Mncl'\n")
            #expect(try await terminal.run("print(ARGPT_VERSION)").contains("NameError"))
        }
    }

    @Test func heapIsAsSmallAsTheDevices() async throws {
        try await withUnit { unit, central, _ in
            let terminal = try await Terminal.open(unit, central)
            try await terminal.enterRawREPL()
            let free = try await terminal.run("import gc;gc.collect();print(gc.mem_free())")
            #expect((44_000...50_500).contains(Int(free.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0))
        }
    }

    @Test func erasingTakesSecondsOfVirtualTimeAndFlashIsNOR() async throws {
        try await withUnit { unit, central, folder in
            let terminal = try await Terminal.open(unit, central)
            try await terminal.enterRawREPL()
            let before = central.clock.now
            _ = try await terminal.run("import fpga,update;fpga.run(False);update.Fpga.erase()")
            #expect(before.duration(to: central.clock.now) > .seconds(4.9))
            _ = try await terminal.run("update.Fpga.write(b'\\xf0\\xff');update.Fpga.write(b'\\x0f')")
            let start = try await terminal.run("print(update.Fpga.read(0,4))")
            #expect(start == "b'\\xf0\\xff\\x0f\\xff'\n")
            #expect([UInt8](try Data(contentsOf: folder.flash))[..<4] == [0xF0, 0xFF, 0x0F, 0xFF])
            let overflow = try await terminal.run("for i in range(60): update.Fpga.write(bytes(8192))")
            #expect(overflow.contains("ValueError"))
            let stopped = try await terminal.run("print(fpga.read(2,12))")
            #expect(stopped.hasPrefix("b'\\x00\\x00"))
            #expect([UInt8](try Data(contentsOf: folder.flash))[..<4] == [0xF0, 0xFF, 0x0F, 0])
        }
    }

    @Test func ringDropsWhatDoesNotFitWhileCodeRuns() async throws {
        try await withUnit { unit, central, _ in
            let terminal = try await Terminal.open(unit, central)
            try await terminal.enterRawREPL()
            try await terminal.send("import time;time.sleep(2)\u{4}")
            _ = try await terminal.read(until: "OK")
            // 3 × 500 bytes while it sleeps: 1023 fit, the rest and its ^D are lost.
            try await terminal.send(String(repeating: "#" + String(repeating: "x", count: 498) + "\n", count: 3) + "print(7)\u{4}")
            #expect(try await terminal.read(until: "\u{4}>") == "\u{4}\u{4}>")
            #expect(try await terminal.run("") == "")
        }
    }

    /// A host that is quicker than the unit's start: the interrupt must not end the process that is to become its Python.
    @Test(.timeLimit(.minutes(1))) func interruptDuringTheStartKeepsMainFromRunning() async throws {
        try await withUnit(
            time: .real(speed: 40),
            prepare: { folder in
                try Data("open('ran', 'w').close()\nwhile True: pass".utf8).write(to: folder.files.appendingPathComponent("main.py"))
            }
        ) { unit, central, folder in
            let terminal = try await Terminal.open(unit, central)
            try await terminal.send("\u{3}\u{1}")
            let answer = try await terminal.read(until: "raw REPL; CTRL-B to exit\r\n>", patience: .seconds(400))
            #expect(answer.hasSuffix("raw REPL; CTRL-B to exit\r\n>"))
            #expect(!answer.contains("soft reboot"))
        }
    }

    /// A program that an interrupt makes crash restarts with the unit, and hears the next interrupt, too.
    @Test func anInterruptThatRestartsTheUnitIsOver() async throws {
        let main = "import time, uctypes\nprint('runs')\ntry:\n  while True: time.sleep(1)\nexcept KeyboardInterrupt:\n  uctypes.bytearray_at(1, 1)[0]\n"
        try await withUnit(prepare: { try Data(main.utf8).write(to: $0.files.appendingPathComponent("main.py")) }) { unit, central, _ in
            let terminal = try await Terminal.open(unit, central)
            _ = try await terminal.read(until: "runs\n")
            for _ in 0..<2 {
                try await terminal.send("\u{3}")
                let said = try await terminal.read(until: "runs\n")
                #expect(said.contains("soft reboot"), "\(said.debugDescription)")
            }
        }
    }

    @Test func keyboardInterruptStopsTheRunningProgram() async throws {
        try await withUnit(prepare: { try Data("X = 5\nimport time\nprint('runs')\nwhile True:\n  time.sleep(1)\n".utf8)
            .write(to: $0.files.appendingPathComponent("main.py")) }) { unit, central, _ in
            let terminal = try await Terminal.open(unit, central)
            #expect(try await terminal.read(until: "runs\n") == "runs\n")
            try await terminal.enterRawREPL()
            #expect(try await terminal.run("print(X)") == "5\n")
        }
    }

    @Test func dataReachesThePythonCallbackAndComesBack() async throws {
        try await withUnit { unit, central, _ in
            let clock = central.clock
            let terminal = try await Terminal.open(unit, central)
            let data = try await terminal.connection.subscribe(
                to: AttributeID("e5700003-7bac-429a-b4ce-57ff900f479d"), deadline: clock.deadline(in: .seconds(1)))
            try await terminal.enterRawREPL()
            _ = try await terminal.run("import bluetooth;bluetooth.receive_callback(lambda b: bluetooth.send(b'got '+b))")
            let channel = try await terminal.connection.openChannel(
                to: AttributeID("e5700002-7bac-429a-b4ce-57ff900f479d"), deadline: clock.deadline(in: .seconds(1)))
            for index in 0..<20 {
                try await channel.send(Array("ping\(index)".utf8), deadline: clock.deadline(in: .seconds(1)))
                #expect(try await data.next(before: clock.deadline(in: .seconds(5)), on: clock) == Array("got ping\(index)".utf8))
            }
        }
    }

    @Test func bootloaderJumpShowsUpAtTheNextAddressAndGoesBackByItself() async throws {
        try await withUnit { unit, central, _ in
            let clock = central.clock
            let terminal = try await Terminal.open(unit, central)
            try await terminal.enterRawREPL()
            try await terminal.send("import update;update.micropython()\u{4}")
            try await terminal.connection.waitUntilGone(deadline: clock.deadline(in: .seconds(10)))
            let bootloader = try await central.connect(to: unit.address.bootloader, deadline: clock.deadline(in: .seconds(15)))
            #expect(bootloader.payloadSize == 244)
            try await bootloader.waitUntilGone(deadline: clock.deadline(in: .seconds(200)))
            _ = try await Terminal.open(unit, central)
        }
    }

    @Test func resetKeepsFilesAndSoftResetRunsMain() async throws {
        try await withUnit { unit, central, _ in
            let terminal = try await Terminal.open(unit, central)
            try await terminal.enterRawREPL()
            _ = try await terminal.run("f=open('main.py','w');f.write('''print('main')\\n''');f.close()")
            try await terminal.send("\u{4}")
            #expect(try await terminal.read(until: "main\n").contains("soft reboot\r\nmain\n"))
            try await terminal.enterRawREPL()
            try await terminal.send("import device;device.reset()\u{4}")
            try await terminal.connection.waitUntilGone(deadline: central.clock.deadline(in: .seconds(10)))
            let again = try await Terminal.open(unit, central)
            #expect(try await again.read(until: "main\n").hasPrefix("main\n"))
        }
    }

    @Test func secondProcessOnOneUnitIsRefused() async throws {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent("noafw-unit-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: root) }
        let folder = try UnitFolder(root: root, name: "test")
        let lock = try folder.lock()
        #expect(throws: LinkError.busy("process \(ProcessInfo.processInfo.processIdentifier)")) { try folder.lock() }
        withExtendedLifetime(lock) {}
    }
}
