import Bluetooth
import Foundation
import Support
import TestSupport
import Testing
@testable import VirtualDevices

/// Microphone, camera, display and the rest as programs meet them.
@Suite(.enabled(if: TestTools.mayRunFrameLua, "frame-lua is missing: run Tools/setup tests"))
struct FrameHardwareTests {
    @Test func theMicrophoneGivesWhatItHeardAndThenNothing() async throws {
        let sound = (0..<4000).map { UInt8(truncatingIfNeeded: $0 % 251) }
        try await FrameBench.run(prepare: { try $0.setMicrophone(wav: WaveBytes.eightBit(sound, rate: 16_000)) }) { bench in
            let link = try await bench.link()
            let question = "m=frame.microphone m.start{sample_rate=16000,bit_depth=16}print(#m.read(200))frame.sleep(.1)s=m.read(2000)"
                + "m.stop()frame.sleep(.05)print(#s)"
            try await link.write(question)
            #expect(try await link.all() == ["0", "2000"])
            #expect(try await link.run("print(s:sub(1,200))").map { Array($0.utf8).count } != nil)
            // 100 ms are 1600 samples, in buffers of 128.
            #expect(try await link.run("t=m.read(9998)print(#t)") == "1072")
            #expect(try await link.run("print(m.read(2))") == "nil")
            #expect(try await link.run("m.read(3)") == "[string \"m.read(3)\"]:1: bytes must be a multiple of 2")
            #expect(try await link.run("m.start{sample_rate=1}")?.hasSuffix("sample rate must be 8000 or 16000") == true)
        }
    }

    @Test func itRunsOnThroughBreakAndReset() async throws {
        try await FrameBench.run(files: ["main.lua": ""]) { bench in
            let link = try await bench.link()
            try await link.write("frame.microphone.start{}while true do end")
            try await link.sleep(.milliseconds(100))
            #expect(try await link.run("\u{3}") == "break signal")
            try await link.write([4])
            try await link.sleep(.milliseconds(100))
            #expect(try await link.run("frame.microphone.start{}") == "[string \"frame.microphone.start{}\"]:1: already started")
        }
    }

    @Test(arguments: ["m.start{}", "m.stop()"])
    func anOrderRightAfterAStopReboots(order: String) async throws {
        try await FrameBench.run { bench in
            let link = try await bench.link()
            try await link.write("m=frame.microphone m.start{}m.stop()frame.sleep(.05)\(order)print(1)")
            #expect(try await link.text() == "1")
            try await link.write("m.stop()frame.sleep(.05)m.start{}m.stop()\(order)")
            try await link.connection.waitUntilGone(deadline: bench.clock.deadline(in: .seconds(5)))
        }
    }

    @Test func whatIsNotReadInTimeIsLostWithoutAWord() async throws {
        try await FrameBench.run { bench in
            let link = try await bench.link()
            try await link.write("m=frame.microphone m.start{sample_rate=16000}frame.sleep(2.5)print(#m.read(40000))")
            // 40,000 samples less a ring of 32,768.
            let count = Int(try await link.text(within: .seconds(4)) ?? "") ?? 0
            #expect((7000...7400).contains(count), "\(count)")
        }
    }

    @Test func earlyFirmwareRecordsForSomeSeconds() async throws {
        try await FrameBench.run(.v24_149) { bench in
            let link = try await bench.link()
            try await link.write(
                "m=frame.microphone m.record{seconds=1}frame.sleep(2)n=0 repeat s=m.read(512)n=n+(s and #s or 0)until not s print(n)")
            #expect(try await link.text(within: .seconds(5)) == "8000")
            #expect(try await link.run("m.read(516)")?.hasSuffix("too many bytes requested") == true)
        }
    }

    @Test func aPictureIsReadyLaterAndItsPartsNeverMix() async throws {
        let picture = [UInt8](repeating: 0x41, count: 623) + [UInt8](repeating: 0x42, count: 500) + [0xFF, 0xD9]
        try await FrameBench.run(prepare: { try $0.setCamera(jpeg: [0xFF, 0xD8, 0xFF] + picture.dropFirst(3)) }) { bench in
            let link = try await bench.link()
            let sizes = "c=frame.camera c.capture{}r=c.image_ready()frame.sleep(.05)t={tostring(r),tostring(c.image_ready())}"
                + "repeat s=c.read(400)t[#t+1]=s and #s or 'nil' until not s print(table.concat(t,' '))"
            #expect(try await link.run(sizes) == "false true 400 223 400 100 2 nil")
            // Read before it was asked whether it is ready, it has no data.
            let early = "c.capture{}t={}repeat s=c.read(400)t[#t+1]=s and #s or 'nil' until not s print(table.concat(t,' '))"
            #expect(try await link.run(early) == "400 223 2 nil")
            #expect(try await link.run("c.capture()") != nil)
            #expect(try await link.run("c.capture{resolution=101}")?.hasSuffix("multiple of 2 between 100 and 720") == true)
            #expect(try await link.run("a=c.auto{}print(a.error..' '..a.brightness.spot.average)") == "1.0 0.1")
        }
    }

    @Test func withoutAPictureTheCameraSeesATestCard() async throws {
        try await FrameBench.run { bench in
            let link = try await bench.link()
            let loop =
                "c=frame.camera c.capture{}while not c.image_ready()do frame.sleep(.005)end n=0 repeat s=c.read(200)n=n+(s and #s or 0)"
                + "if s then l=s end until not s print(n..' '..l:byte(1)..' '..l:byte(2))"
            #expect(try await link.run(loop) == "\(TestCard.jpeg.count) 255 217")
            #expect(TestCard.jpeg.starts(with: [0xFF, 0xD8, 0xFF]) && TestCard.jpeg.count > 625)
        }
    }

    @Test func aFileThatIsNoPictureMakesNone() async throws {
        try await FrameBench.run(prepare: { try Data().write(to: $0.root.appendingPathComponent("camera.jpg")) }) { bench in
            let link = try await bench.link()
            #expect(try await link.run("c=frame.camera c.capture{}frame.sleep(1)print(tostring(c.image_ready()))") == "false")
        }
    }

    @Test func theDisplayShowsWhatTheFontHas() async throws {
        try await FrameBench.run { bench in
            let link = try await bench.link()
            try await link.write("d=frame.display d.text('a/b\u{a7}\u{20ac}\u{e9}\u{417}',1,1,{color='RED'})d.show()print(1)")
            #expect(try await link.text() == "1")
            #expect(VirtualDisplay.lines(of: bench.folder.display) == [.init(text: "ab\u{20ac}\u{e9}", color: 0xBE2633, x: 1, y: 1)])
            #expect(try await link.run("d.text('a',1,1,{color='VOID'})")?.hasSuffix("Invalid color name") == true)
            #expect(try await link.run("d.text('a',0,1)")?.hasSuffix("x_position must be between 1 and 640 pixels") == true)
            #expect(try await link.run("d.text('a',1,360)d.show()print(2)") == "2")
            #expect(VirtualDisplay.lines(of: bench.folder.display).isEmpty)
        }
    }

    @Test func itSaysHowItIsPaired() async throws {
        try await FrameBench.run(files: nil) { bench in
            try await bench.wait(.seconds(3))
            let name = "Frame \(bench.unit.address.description.prefix(2))"
            // The factory's firmware is newer than the numbers.
            #expect(VirtualDisplay.lines(of: bench.folder.display).map(\.text) == ["Ready to Pair", name])
            _ = try await bench.link()
            #expect(VirtualDisplay.lines(of: bench.folder.display).map(\.text) == ["Frame is Paired", name])
        }
    }

    @Test func onlyTheLastBlockOfACompressionArrives() async throws {
        try await FrameBench.run { bench in
            let link = try await bench.link()
            try await link.write("n=''frame.compression.process_function(function(d)n=n..d end)")
            // A frame of two blocks: "abc", and "x" ten times by a match.
            let frame = "\\4\\34\\77\\24\\96\\64\\0\\4\\0\\0\\0\\48abc\\10\\0\\0\\0\\17x\\1\\0\\80xxxxx\\0\\0\\0\\0\\0"
            try await link.write("frame.compression.decompress('\(frame)',4096)")
            try await link.sleep(.milliseconds(100))
            #expect(try await link.run("print(n)") == "xxxxxxxxxxx")
        }
    }
}
