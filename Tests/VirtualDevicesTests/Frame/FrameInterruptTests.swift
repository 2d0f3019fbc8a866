import Bluetooth
import Foundation
import Support
import TestSupport
import Testing
import VirtualFaults
@testable import VirtualDevices

/// Break, data and taps through the one hook of Lua, the watchdog behind them, and the reset by 04.
@Suite(.enabled(if: TestTools.mayRunFrameLua, "frame-lua is missing: run Tools/setup tests"))
struct FrameInterruptTests {
    private static let noteData = "got={} frame.bluetooth.receive_callback(function(d)got[#got+1]=d end)"

    // MARK: - Break

    @Test func aBreakEndsALoopWithABareText() async throws {
        try await FrameBench.run { bench in
            let link = try await bench.link()
            try await link.write("while true do end")
            try await link.sleep(.milliseconds(200))
            try await link.write([3, 3, 3])
            #expect(try await link.text() == "break signal")
            #expect(try await link.run("print(1)") == "1")
            // At the prompt it is silent.
            try await link.write([3])
            #expect(try await link.text() == nil)
            #expect(try await link.run("print(2)") == "2")
        }
    }

    @Test func inAFunctionOrASleepItNamesThePlace() async throws {
        try await FrameBench.run { bench in
            let link = try await bench.link()
            try await link.write("function f()while true do end end f()")
            try await link.sleep(.milliseconds(100))
            #expect(try await link.run("\u{3}") == "[string \"function f()while true do end end f()\"]:1: break signal")
            try await link.write("frame.sleep(60)")
            try await link.sleep(.milliseconds(100))
            let text = try await link.run("\u{3}")
            #expect(text?.hasSuffix("]:1: break signal") == true, "\(text ?? "nothing")")
        }
    }

    @Test func aProtectedLoopSurvivesEveryBreakAndStaysAlive() async throws {
        try await FrameBench.run { bench in
            let link = try await bench.link()
            try await link.write("while true do pcall(function() while true do end end) end")
            for _ in 0..<5 {
                try await link.sleep(.milliseconds(300))
                try await link.write([3])
            }
            // Its watchdog is fed all the while.
            try await link.sleep(.seconds(20))
            try await link.write("print(1)")
            #expect(try await link.text() == nil)
            #expect(link.connection.link.end == nil)
        }
    }

    @Test func aCoroutineThatLoopsCannotBeBroken() async throws {
        try await FrameBench.run { bench in
            let link = try await bench.link()
            try await link.write("coroutine.wrap(function() while true do end end)()")
            try await link.sleep(.milliseconds(200))
            try await link.write([3])
            try await link.sleep(.seconds(10))
            #expect(try await link.run("print(1)") == nil)
            #expect(link.connection.link.end == nil)
        }
    }

    @Test func mainEndsWithItsNamesAndThePromptFollows() async throws {
        try await FrameBench.run(files: ["main.lua": "while true do frame.sleep(1) end"]) { bench in
            let link = try await bench.link()
            #expect(try await link.run("frame.sleep(.1)print(1)") == nil)
            try await link.write([3])
            let text = try #require(try await link.text())
            #expect(
                text.hasPrefix("[string \"frame.stay_awake(false); require('main')\"]:1: exiting module 'main': [string \"main.lua\"]:1: "))
            #expect(text.hasSuffix("break signal"))
            // The command that waited runs now.
            #expect(try await link.text() == "1")
        }
    }

    // MARK: - Data

    @Test func dataHasOneSlot() async throws {
        try await FrameBench.run { bench in
            let link = try await bench.link()
            try await link.write(Self.noteData)
            try await link.sleep(.milliseconds(50))
            try await link.command([[1, 0x41], [1, 0x42], [1, 0x43]])
            #expect(try await link.run("print(table.concat(got,','))") == "C")
            for byte: UInt8 in [0x44, 0x45] { try await link.write([1, byte]) }
            try await link.write([1])
            #expect(try await link.run("print(table.concat(got,',')..#got)") == "C,D,E,4")
        }
    }

    @Test func whatComesLastIsWhatTheHookDoes() async throws {
        try await FrameBench.run { bench in
            let link = try await bench.link()
            try await link.write(Self.noteData)
            try await link.sleep(.milliseconds(50))
            try await link.write("while #got<1 do end print('data')")
            try await link.sleep(.milliseconds(100))
            // The break is lost.
            try await link.command([[3], [1, 0x41]])
            #expect(try await link.text() == "data")
            try await link.write("while #got<2 do end print('data')")
            try await link.sleep(.milliseconds(100))
            // The data is lost.
            try await link.command([[1, 0x42], [3]])
            #expect(try await link.text() == "break signal")
            #expect(try await link.run("print(#got)") == "1")
        }
    }

    @Test func withoutACallbackDataIsDropped() async throws {
        try await FrameBench.run { bench in
            let link = try await bench.link()
            try await link.write([1, 0x41])
            try await link.write(Self.noteData)
            try await link.sleep(.milliseconds(50))
            #expect(try await link.run("print(#got)") == "0")
        }
    }

    @Test func aCallbackThatFailsEndsWhatRunsAndVanishesAtThePrompt() async throws {
        try await FrameBench.run { bench in
            let link = try await bench.link()
            try await link.write("frame.bluetooth.receive_callback(function(d)error('bad '..d)end)")
            try await link.sleep(.milliseconds(50))
            try await link.write("function r()while true do end end r()")
            try await link.sleep(.milliseconds(100))
            try await link.write([1, 0x46])
            let running = "[string \"function r()while true do end end r()\"]:1: "
            let callback = "[string \"frame.bluetooth.receive_callback(function(d)e...\"]:1: bad F"
            #expect(try await link.text() == running + callback)
            try await link.write([1, 0x47])
            #expect(try await link.text() == nil)
            #expect(try await link.run("print(1)") == "1")
        }
    }

    @Test func nothingInterruptsACallback() async throws {
        try await FrameBench.run { bench in
            let link = try await bench.link()
            try await link.write("got={}frame.bluetooth.receive_callback(function(d)local e=frame.time.utc()+1 "
                + "while frame.time.utc()<e do end got[#got+1]=d end)")
            try await link.sleep(.milliseconds(50))
            try await link.write("while #got<2 do end print(table.concat(got))")
            try await link.sleep(.milliseconds(100))
            // While one runs, one more waits.
            for byte: UInt8 in [0x41, 0x42, 0x43] {
                try await link.write([1, byte])
                try await link.sleep(.milliseconds(100))
            }
            #expect(try await link.text(within: .seconds(4)) == "AC")
        }
    }

    // MARK: - Taps

    @Test func aTapIsOneEventAndItsErrorIsRaised() async throws {
        try await FrameBench.run { bench in
            let link = try await bench.link()
            try await link.write("n=0 frame.imu.tap_callback(function(...)n=n+1+select('#',...)end)")
            try await link.sleep(.milliseconds(50))
            bench.unit.stimulate(.tap(.A))
            try await link.sleep(.milliseconds(50))
            #expect(try await link.run("print(n)") == "1")
            try await link.write("frame.imu.tap_callback(function()error('t',0)end)while true do end")
            try await link.sleep(.milliseconds(50))
            bench.unit.stimulate(.tap(.B))
            #expect(try await link.text() == "t")
        }
    }

    // MARK: - Watchdog

    @Test(arguments: [
        "while true do end ", "frame.sleep(60)", "local s=('a'):rep(20000) s:find(('a*'):rep(60)..'b')",
    ])
    func aCallbackThatDoesNotEndReboots(body: String) async throws {
        try await FrameBench.run { bench in
            let link = try await bench.link()
            try await link.write("frame.bluetooth.receive_callback(function(d)\(body)end)")
            try await link.sleep(.milliseconds(50))
            let before = bench.clock.now
            try await link.write([1])
            try await link.connection.waitUntilGone(deadline: bench.clock.deadline(in: .seconds(20)))
            // Six seconds and the supervision timeout.
            let took = before.duration(to: bench.clock.now)
            #expect(took > .seconds(7.5) && took < .seconds(8.5), "\(took)")
            #expect(try await bench.link().run("print(1)") == "1")
        }
    }

    @Test func aCallbackOfLessThanSixSecondsIsLetLive() async throws {
        try await FrameBench.run { bench in
            let link = try await bench.link()
            try await link.write("frame.bluetooth.receive_callback(function(d)for i=1,1600000 do end n=1 end)")
            try await link.sleep(.milliseconds(50))
            try await link.write([1])
            try await link.sleep(.seconds(6))
            #expect(try await link.run("print(n)") == "1")
        }
    }

    @Test func aLongCallOfTheLibraryReboots() async throws {
        try await FrameBench.run { bench in
            let link = try await bench.link()
            try await link.write("local s=('a'):rep(20000) s:find(('a*'):rep(60)..'b')")
            try await link.connection.waitUntilGone(deadline: bench.clock.deadline(in: .seconds(20)))
            #expect(try await bench.link().run("print(1)") == "1")
        }
    }

    // MARK: - Reset

    @Test func aResetWorksAtThePromptAlone() async throws {
        try await FrameBench.run(files: ["main.lua": "print('main')"]) { bench in
            let link = try await bench.link()
            try await link.write("x=1")
            try await link.write([4, 0x41])
            #expect(try await link.text() == "main")
            #expect(try await link.run("print(x)") == "nil")
            // Behind what runs it waits, and the next command takes its place.
            try await link.write("frame.sleep(.5)y=1")
            try await link.sleep(.milliseconds(100))
            try await link.write([4])
            try await link.write("print(y)")
            #expect(try await link.all(quiet: .seconds(1)) == ["1"])
        }
    }

    @Test func callbackNumbersOutliveAReset() async throws {
        try await FrameBench.run(files: ["main.lua": "x=1 while x do end"]) { bench in
            let link = try await bench.link()
            try await link.write([3])
            _ = try await link.all()
            try await link.write(Self.noteData)
            try await link.write([4])
            try await link.sleep(.milliseconds(200))
            try await link.write([1, 0x41])
            let text = try #require(try await link.text())
            #expect(text.hasSuffix("attempt to call a nil value (hook '?')"), "\(text)")
        }
    }

    @Test func theClockAndThePayloadOutliveAReset() async throws {
        try await FrameBench.run { bench in
            let link = try await bench.link()
            try await link.write("frame.time.utc(1000000)frame.time.zone('+05:30')")
            try await link.write([4])
            _ = try await link.all()
            #expect(try await link.run("print(frame.time.zone()..frame.time.utc()//100*100)") == "+05:301000000.0")
            #expect(try await link.run("print(frame.bluetooth.max_length())") == "243")
        }
    }

    @Test func faultsSwallowBreaksAndCrashCallbacks() async throws {
        var faults = FaultPlan()
        faults.swallowedBreaks = [1]
        faults.crashesAtDataPackets = [1]
        try await FrameBench.run(faults: faults) { bench in
            let link = try await bench.link()
            try await link.write("while true do end")
            try await link.sleep(.milliseconds(50))
            #expect(try await link.run("\u{3}") == nil)
            #expect(try await link.run("\u{3}") == "break signal")
            try await link.command([[1]])
            try await link.connection.waitUntilGone(deadline: bench.clock.deadline(in: .seconds(5)))
            #expect(try await bench.link().run("print(1)") == "1")
        }
    }
}
