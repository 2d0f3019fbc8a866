import Foundation
import Support
import TestSupport
import Testing
@testable import VirtualDevices

/// The virtual unit's `frame` table, from its prompt.
@Suite(.enabled(if: TestTools.mayRunLua, "Lua 5.4 is missing: run Tools/setup tests"))
struct FrameTableTests {
    /// Runs commands at the prompt of a unit without a program; what they print.
    private func run(_ commands: [String], on bench: FrameBench) throws -> [String] {
        let before = bench.printed.count
        bench.commands = commands + ["print('=done')"]
        try bench.run { bench.printed.count > before && bench.printed.last == "=done" }
        return Array(bench.printed[before...].dropLast())
    }

    private func withPrompt(_ body: (FrameBench) throws -> Void) throws {
        let bench = try FrameBench { _, files in
            for name in FrameBench.names { try FileManager.default.removeItem(at: files.appendingPathComponent(name)) }
        }
        defer { bench.end() }
        try body(bench)
    }

    @Test func aUnitWithoutAProgramIsSilentAndAnswers() throws {
        try withPrompt { bench in
            try #expect(run(["print(frame.HARDWARE_VERSION, frame.battery_level())"], on: bench) == ["Frame\t80"])
            try #expect(run(["print(1)\0print(2)"], on: bench) == ["1"])
            try #expect(run(["x ="], on: bench).first?.contains("unexpected symbol") == true)
        }
    }

    /// A program on the unit reaches neither the host's files nor its programs, through Lua's back doors neither.
    @Test(arguments: [
        "io.open('/etc/passwd')", "os.execute('true')", "require('os')", "package.loadlib('libc.so.6', 'system')",
        "frame.file.open('/../../etc/passwd')", "frame.file.open('../unit.json')", "frame.file.open('a\\0b')",
        "frame.file.rename('main.lua', '../stolen')", "frame.file.require('../x')",
        "debug.getregistry()", "debug.getupvalue(frame.file.open, 1)", "debug.setupvalue(frame.file.open, 1, 1)",
        "debug.getlocal(1, 1)", "debug.getinfo(1)", "debug.upvaluejoin(print, 1, print, 1)", "assert(load(string.dump(function() end)))()",
        "load('\\27Lua', 'x', 'b')", "dofile('/etc/passwd')", "loadfile('/etc/passwd')",
    ])
    func noWayLeadsOutOfTheUnit(program: String) throws {
        try withPrompt { bench in
            try #expect(run(["print(pcall(function() return \(program.replacing("assert(", with: "(")) end))"], on: bench).first?.hasPrefix("false") == true)
            try #expect(run(["for name in pairs(_G) do if name == 'io' or name == 'os' then print(name) end end"], on: bench).isEmpty)
        }
    }

    /// bluetooth.c: one buffer, and the hook that reads it runs between two instructions.
    @Test func theDataSlotHoldsOneMessage() throws {
        try withPrompt { bench in
            let listen = "n=0;frame.bluetooth.receive_callback(function(d) n=n+1;last=d end)"
            try #expect(run([listen], on: bench).isEmpty)
            bench.deliver([.data([0x61]), .data([0x62])])
            try #expect(run(["print(n, last)"], on: bench) == ["1\tb"])
            try bench.send([0x63])
            try bench.send([0x64])
            try #expect(run(["print(n, last)"], on: bench) == ["3\td"])
        }
    }

    /// Both callbacks hang on Lua's one hook: what comes second replaces the first.
    @Test func aTapAndAMessageAtOnceLeaveOne() throws {
        try withPrompt { bench in
            let listen = "t,n=0,0;frame.bluetooth.receive_callback(function() n=n+1 end);frame.imu.tap_callback(function() t=t+1 end)"
            try #expect(run([listen], on: bench).isEmpty)
            bench.deliver([.tap, .data([1])])
            try #expect(run(["print(t, n)"], on: bench) == ["0\t1"])
            bench.deliver([.data([1]), .tap])
            try #expect(run(["print(t, n)"], on: bench) == ["1\t1"])
        }
    }

    @Test func aFaultInTheTapCallbackIsSwallowedAndOneInTheDataCallbackIsNot() throws {
        try withPrompt { bench in
            let listen = "frame.bluetooth.receive_callback(function() error('data fault') end);frame.imu.tap_callback(error)"
            try #expect(run([listen], on: bench).isEmpty)
            let wait = "frame.sleep(0.1);print('slept')"
            bench.commands = [wait]
            try bench.run(for: .milliseconds(50))
            bench.tap()
            try bench.run { bench.printed.last == "slept" }
            #expect(bench.printed == ["=done", "slept"])
            bench.commands = [wait]
            try bench.run(for: .milliseconds(50))
            try bench.send([1])
            try bench.run { bench.printed.count == 3 }
            #expect(bench.printed.last?.contains("data fault") == true)
        }
    }

    @Test func filesHoldAnyBytes() throws {
        let bytes = SeededNumbers.bytes(5000, seed: 3)
        try withPrompt { bench in
            let pieces = stride(from: 0, to: bytes.count, by: 50).map { start in
                "f:write('" + bytes[start..<start + 50].map { "\\" + String(format: "%03d", $0) }.joined() + "')"
            }
            let commands = ["f=frame.file.open('a.bin','w')"] + pieces + ["f:close()"]
            try #expect(run(commands, on: bench).isEmpty)
            #expect([UInt8](try Data(contentsOf: bench.folder.files.appendingPathComponent("a.bin"))) == bytes)
            try #expect(run(["f=frame.file.open('a.bin','r');print(#f:read(5000), f:read(1));f:close()"], on: bench) == ["5000\tnil"])
            try #expect(run(["frame.file.remove('a.bin')"], on: bench).isEmpty)
            try #expect(run(["frame.file.open('a.bin')"], on: bench).first?.contains("cannot open file: a.bin") == true)
        }
    }

    @Test(arguments: [
        ("frame.bluetooth.send(('x'):rep(244))", "greater than max_length"),
        ("frame.display.text('x', 0, 1)", "x_position"), ("frame.display.text('x', 1, 1, {color='BEIGE'})", "Invalid color name"),
        ("frame.microphone.read(3)", "multiple of 4"), ("frame.microphone.start{sample_rate=9000}", "sample rate"),
        ("frame.camera.capture()", "expected a table"), ("frame.file.open('../unit.json')", "invalid name"),
        ("frame.imu.tap_callback(1)", "expected nil or function"), ("frame.microphone.start{};frame.microphone.start{}", "already started"),
    ])
    func whatTheFirmwareRefusesIsRefused(code: String, message: String) throws {
        try withPrompt { bench in
            try #expect(run([code], on: bench).first?.contains(message) == true, "\(bench.printed)")
        }
    }

    @Test func whatIsDrawnAppearsWithShow() throws {
        try withPrompt { bench in
            try #expect(run(["frame.display.text('a\"\\\\', 1, 1, {color='RED'});frame.display.text('\\u{4E2D}b', 1, 61)"], on: bench).isEmpty)
            #expect(bench.lines.isEmpty)
            try #expect(run(["frame.display.show()"], on: bench).isEmpty)
            #expect(bench.lines == ["a\"\\", "b"])
            // A row holds 26 glyphs; the rest falls off the edge.
            try #expect(run(["frame.display.text(('x'):rep(40), 1, 1);frame.display.show()"], on: bench).isEmpty)
            #expect(bench.lines == [String(repeating: "x", count: 26)])
        }
    }
}
