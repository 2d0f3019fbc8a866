import Bluetooth
import Foundation
import TestSupport
import Testing
@testable import VirtualDevices

/// Commands and what comes of them (facts: one command buffer, prints, error texts).
@Suite(.enabled(if: TestTools.mayRunFrameLua, "frame-lua is missing: run Tools/setup tests"))
struct FrameConsoleTests {
    @Test func itTellsWhatItIs() async throws {
        try await FrameBench.run { bench in
            let link = try await bench.link()
            #expect(try await link.run("print(frame.FIRMWARE_VERSION)") == "v25.080.0838")
            #expect(try await link.run("print(frame.GIT_TAG..frame.HARDWARE_VERSION)") == "29604c5Frame")
            #expect(try await link.run("print(frame.battery_level())") == "80.0")
            #expect(try await link.run("print(frame.bluetooth.max_length())") == "243")
            let address = bench.unit.address.description.split(separator: ":").reversed().joined(separator: ":")
            #expect(try await link.run("print(frame.bluetooth.address())") == address)
        }
    }

    @Test func aPrintIsANotificationForEachArgumentAndTabAndWhatFindsNoPlaceIsDropped() async throws {
        try await FrameBench.run { bench in
            let link = try await bench.link()
            try await link.write("print(1,2)")
            #expect(try await link.all() == ["1"])
            try await link.write("print(1)frame.sleep(.1)print(nil)frame.sleep(.1)print('')frame.sleep(.1)print()")
            #expect(try await link.all() == ["1", "nil", ""])
            // The error text is as silent as a print.
            try await link.write("print('a')error('b')")
            #expect(try await link.all() == ["a"])
        }
    }

    @Test func theNextCommandTakesThePlaceOfOneThatWaits() async throws {
        try await FrameBench.run { bench in
            let link = try await bench.link()
            try await link.write("frame.sleep(0.5)print('first')")
            try await link.sleep(.milliseconds(100))
            for text in ["print('second')", "frame.sleep(.1)print('third')"] { try await link.write(text) }
            #expect(try await link.all(quiet: .seconds(1)) == ["first", "third"])
            // frame-sdk's writes without acknowledgement.
            try await link.command(["x=1", "y=2", "print(tostring(x)..tostring(y))"].map { Array($0.utf8) })
            #expect(try await link.all() == ["nilnil"])
        }
    }

    @Test func aCommandEndsAtItsFirstZero() async throws {
        try await FrameBench.run { bench in
            let link = try await bench.link()
            try await link.write(Array("print(7)".utf8) + [0] + Array("print(8)".utf8))
            #expect(try await link.all() == ["7"])
            #expect(try await link.run("print(#'\u{e9}')") == "2")
        }
    }

    @Test func errorsHaveTheNamesOfTheirChunks() async throws {
        try await FrameBench.run { bench in
            let link = try await bench.link()
            #expect(try await link.run("x=") == "[string \"x=\"]:1: unexpected symbol near <eof>")
            #expect(try await link.run("error('boom',0)") == "boom")
            let long = "local a='\(String(repeating: "x", count: 60))' error('e')"
            #expect(try await link.run(long) == "[string \"\(long.prefix(45))...\"]:1: e")
            #expect(try await link.run("error('e')\nlocal a") == "[string \"error('e')...\"]:1: e")
            #expect(try await link.run("return 5") == nil)
            #expect(try await link.run("x=3;print(x)") == "3")
            #expect(try await link.run("print(x)") == "3")
        }
    }

    @Test func withoutAProgramNewerFirmwareSaysSo() async throws {
        for (firmware, expected) in [
            (FrameFirmware.v25_080, "[string \"frame.stay_awake(false); require('main')\"]:1: cannot open file: main.lua"),
            (.v24_248, nil),
        ] {
            try await FrameBench.run(firmware) { bench in
                let link = try await bench.link()
                try await link.sleep(.seconds(1))
                try await link.write([0x04])
                #expect(try await link.text() == expected)
            }
        }
    }

    @Test func modulesRunEachTimeAndFailWithTheirNames() async throws {
        let files = ["m.lua": "n = (n or 0) + 1", "v.lua": "return 7", "bad.lua": "local x\nerror('no')"]
        try await FrameBench.run(files: files) { bench in
            let link = try await bench.link()
            #expect(try await link.run("local r=require('m')require('m')print(n..r)") == "2m.lua")
            #expect(try await link.run("print(require('v'))") == "7")
            #expect(try await link.run("require('gone')") == "[string \"require('gone')\"]:1: cannot open file: gone.lua")
            let bad = "[string \"require('bad')\"]:1: exiting module 'bad': [string \"bad.lua\"]:2: no"
            #expect(try await link.run("require('bad')") == bad)
            #expect(try await link.run("print(frame.file.require)") == "nil")
        }
    }

    @Test func libraryIsTheFirmwares() async throws {
        try await FrameBench.run { bench in
            let link = try await bench.link()
            #expect(try await link.run("print(tostring(io)..tostring(os)..tostring(package))") == "nilnilnil")
            #expect(
                try await link.run("print(type(debug.getregistry)..type(utf8)..type(coroutine)..type(warn))")
                    == "functiontabletablefunction")
            // The C library's files are all there, and empty.
            #expect(try await link.run("print(select('#',loadfile('/etc/passwd')())..select('#',dofile('main.lua')))") == "00")
            #expect(try await link.run("print(load(string.dump(load('return 6')))())") == "6")
            #expect(try await link.run("local s='x' while true do s=s..s end") == "not enough memory")
        }
    }

    @Test func olderFirmwareLacksWhatCameLater() async throws {
        let question = "local m,c=frame.microphone,frame.camera "
            + "print(type(m.start)..type(m.record)..type(c.image_ready)..type(frame.stay_awake)..type(frame.led)..type(frame.compression))"
        try await FrameBench.run(.v24_149) { bench in
            let link = try await bench.link()
            #expect(try await link.run(question) == "nilfunctionnilfunctionnilnil")
            #expect(try await link.run("print(frame.FIRMWARE_VERSION)") == "v24.149.1416")
        }
        try await FrameBench.run(.v24_248) { bench in
            let link = try await bench.link()
            #expect(try await link.run(question) == "functionnilfunctionfunctionnilnil")
            #expect(try await link.run("print(type(frame.camera.wake)..type(frame.camera.power_save))") == "functionnil")
        }
        try await FrameBench.run { bench in
            let link = try await bench.link()
            #expect(try await link.run(question) == "functionnilfunctionfunctiontabletable")
            #expect(try await link.run("print(type(frame.camera.wake)..type(frame.camera.power_save))") == "nilfunction")
        }
    }
}
