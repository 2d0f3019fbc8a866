import Bluetooth
import Foundation
import Support
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
            // 40,884 bytes less the collector's tables and what the splash screen's modules keep.
            #expect((36_000...38_000).contains(Int(free.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0))
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
            let overflow = try await terminal.run("for i in range(110): update.Fpga.write(bytes(4096))")
            #expect(overflow.contains("ValueError"))
            let stopped = try await terminal.run("print(fpga.read(1,4)==b'Mncl',fpga.run())")
            #expect(stopped == "False False\n")
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

    /// A program that runs into memory that holds something else resets the chip, and the next interrupt is heard.
    @Test func aCrashResetsTheChip() async throws {
        try await withUnit { unit, central, _ in
            let terminal = try await Terminal.raw(unit, central)
            #expect(try await terminal.run("import device;print(device.reset_cause())") == "POWERON\n")
            try await terminal.send("import update;update.Fpga.read(0,7000)\u{4}")
            try await terminal.connection.waitUntilGone(deadline: central.clock.deadline(in: .seconds(10)))
            let again = try await Terminal.raw(unit, central)
            #expect(try await again.run("import device;print(device.reset_cause())") == "CRASHED\n")
        }
    }

    @Test func keyboardInterruptStopsTheRunningProgram() async throws {
        try await withUnit(prepare: { try Data("X = 5\nimport time\nprint('runs')\nwhile True:\n  time.sleep(1)\n".utf8)
            .write(to: $0.files.appendingPathComponent("main.py")) }) { unit, central, _ in
            let terminal = try await Terminal.open(unit, central)
            #expect(try await terminal.read(until: "runs\r\n") == "runs\r\n")
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
            // The function has a name: what only a C variable holds is collected.
            _ = try await terminal.run("import bluetooth\ndef answer(b): bluetooth.send(b'got '+b)\nbluetooth.receive_callback(answer)")
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
            // The text of the soft reset leaves when something waits.
            #expect(try await terminal.read(until: "\r\n>").contains("soft reboot\r\nmain\r\n"))
            try await terminal.enterRawREPL()
            try await terminal.send("import device;device.reset()\u{4}")
            try await terminal.connection.waitUntilGone(deadline: central.clock.deadline(in: .seconds(10)))
            let again = try await Terminal.open(unit, central)
            #expect(try await again.read(until: ">>> ").hasPrefix("main\r\n"))
        }
    }

    @Test func secondProcessOnOneUnitIsRefused() async throws {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent("noafw-unit-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: root) }
        let folder = try UnitFolder.monocle(root: root, name: "test")
        let lock = try folder.lock()
        #expect(throws: LinkError.busy("process \(ProcessInfo.processInfo.processIdentifier)")) { try folder.lock() }
        withExtendedLifetime(lock) {}
    }
}
