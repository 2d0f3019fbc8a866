import Bluetooth
import Foundation
import Support
import TestSupport
import Testing
import VirtualFaults
@testable import VirtualDevices

/// Where the unit is full, deaf, asleep or out of ticks.
extension DeviceModuleTests {
    /// More than a message holds comes while the unit compiles for seconds; nothing that it waits for is lost.
    @Test func aFloodWhileTheUnitIsBusyLosesNoAnswer() async throws {
        try await withUnit(prepare: { try Data(("X='" + String(repeating: "x", count: 300_000) + "'").utf8)
            .write(to: $0.files.appendingPathComponent("big.py")) }) { unit, central, _ in
            let terminal = try await Terminal.raw(unit, central)
            try await terminal.send("import update\ntry:\n import big\nexcept MemoryError: pass\nprint(update.Fpga.read(0,1))\n\u{4}")
            _ = try await terminal.read(until: "OK", patience: .milliseconds(20))
            for _ in 0..<400 { try await Self.send([UInt8](repeating: 7, count: 253), over: terminal) }
            #expect(try await terminal.read(until: "\u{4}>", patience: .seconds(30)).contains("b'"))
        }
    }

    /// The queue holds four; a fifth packet that comes while none is run is gone without a word.
    @Test func theSchedulerHoldsFour() async throws {
        try await withUnit { unit, central, _ in
            let terminal = try await Terminal.raw(unit, central)
            let program = "import bluetooth\ngot=[]\ndef f(b): got.append(b)\nbluetooth.receive_callback(f)"
            _ = try await terminal.run(program)
            // Nothing of Python runs while the FPGA's rails go down.
            try await terminal.send("import fpga;fpga.run(False)\u{4}")
            _ = try await terminal.read(until: "OK", patience: .milliseconds(50))
            for index in 0..<8 { try await Self.send([UInt8(index)], over: terminal) }
            _ = try await terminal.read(until: "\u{4}>")
            let answer = try await terminal.run("print(len(got))")
            #expect(answer == "4\n", "\(answer.debugDescription)")
        }
    }

    /// A packet whose interrupt meets an allocation leaves a unit that hears nothing, not even the safe-mode byte.
    @Test func aDeafUnitNeedsItsPowerCut() async throws {
        var faults = FaultPlan()
        faults.deafAtDataPackets = [2]
        try await withUnit(faults: faults) { unit, central, _ in
            let terminal = try await Terminal.raw(unit, central)
            _ = try await terminal.run("import bluetooth\ndef f(b): pass\nbluetooth.receive_callback(f)")
            try await Self.send([1], over: terminal)
            #expect(try await terminal.run("print(1)") == "1\n")
            try await Self.send([2], over: terminal)
            #expect(try await terminal.run("print(2)", patience: .seconds(3)) == "")
            try await terminal.send("\u{3}\u{1C}")
            #expect(try await terminal.run("print(3)", patience: .seconds(3)) == "")
            unit.stimulate(.cut(.power))
            try await terminal.connection.waitUntilGone(deadline: central.clock.deadline(in: .seconds(5)))
            _ = try await Terminal.raw(unit, central)
        }
    }

    @Test func eitherReplacesBothPadsAndBothIsItsOwn() async throws {
        try await withUnit { unit, central, _ in
            let terminal = try await Terminal.raw(unit, central)
            let program = "import touch\ndef e(p): print('either',p)\ndef a(p): print('a',p)\ndef b(p): print('both',p)\n"
                + "touch.callback(touch.A,a);touch.callback(touch.EITHER,e);touch.callback(touch.BOTH,b)"
            _ = try await terminal.run(program)
            unit.stimulate(.press(.A))
            #expect(try await terminal.read(until: "\r\n", patience: .seconds(1)) == "either A\r\n")
            unit.stimulate(.press(.B))
            #expect(try await terminal.read(until: "\r\n", patience: .seconds(1)) == "both BOTH\r\n")
            #expect(try await terminal.run("print(touch.state(touch.EITHER),touch.state(touch.A),touch.state())") == "False False BOTH\n")
        }
    }

    /// A unit on its charger is asleep at once, also right at boot; a touch wakes it for as long.
    @Test func aChargingUnitIsNotInReach() async throws {
        let identity = { (folder: UnitFolder) in
            let file = folder.root.appendingPathComponent("unit.json")
            let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
            try Data(text.replacing("\"isCharging\":false", with: "\"isCharging\":true").utf8).write(to: file)
        }
        try await withUnit(prepare: identity) { unit, central, _ in
            await #expect(throws: LinkError.self) { try await Terminal.open(unit, central) }
            unit.stimulate(.tap(.A))
            await #expect(throws: LinkError.self) { try await Terminal.open(unit, central) }
        }
    }

    /// `ticks_ms` comes from a 24-bit counter of 1024 Hz: after 16,384 s it is 0, and a sleep across that ends early.
    @Test func timeFallsBackToZero() async throws {
        try await withUnit { unit, central, _ in
            let terminal = try await Terminal.raw(unit, central)
            _ = try await terminal.run("import time;time.sleep(16000)", patience: .seconds(17_000))
            let start = central.clock.now
            _ = try await terminal.run("time.sleep(10000)", patience: .seconds(17_000))
            #expect(start.duration(to: central.clock.now) < .seconds(500))
            let ticks = Int(try await terminal.run("print(time.ticks_ms())").trimmingCharacters(in: .whitespacesAndNewlines)) ?? .max
            #expect(ticks < 10_000)
        }
    }
}
