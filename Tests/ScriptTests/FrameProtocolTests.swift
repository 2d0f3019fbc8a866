import Foundation
import Support
import TestSupport
import Testing
@testable import VirtualDevices

/// The committed scripts in real Lua with an app that greets: what it is told, and the traps of the firmware.
@Suite(.enabled(if: TestTools.mayRunLua, "Lua 5.4 is missing: run Tools/setup tests"))
struct FrameProtocolTests {
    private enum Kind {
        static let start: UInt8 = 0x10, text: UInt8 = 0x11, audio: UInt8 = 0x12, palette: UInt8 = 0x14, rows: UInt8 = 0x15
        static let end: UInt8 = 0x16, cancel: UInt8 = 0x19, hello: UInt8 = 0x1A, receipt: UInt8 = 0x1B, taken: UInt8 = 0x1C
        static let ping: UInt8 = 0x1D
    }

    private func withGreetedFrame(_ body: (FrameBench) throws -> Void) throws {
        try withFrame { bench in
            try bench.send(Kind.hello)
            try bench.run(for: .milliseconds(100))
            #expect(bench.messages() == [[Kind.hello, 0x31]])
            try body(bench)
        }
    }

    private func receipt(_ bytes: [UInt8]) -> [UInt8] {
        let digits = String(CRC32.of(bytes), radix: 16)
        return [Kind.receipt] + Array("\(bytes.count) \(String(repeating: "0", count: 8 - digits.count))\(digits)".utf8)
    }

    private func exchange(_ bench: FrameBench, _ message: [UInt8]) throws -> [[UInt8]] {
        try bench.send(message)
        try bench.run(within: .seconds(5)) { bench.lastUntaken == [Kind.taken] }
        return bench.messages()
    }

    @Test func everyMessageIsTakenAndTheAnswerHasAReceipt() throws {
        try withGreetedFrame { bench in
            let text = Array("Gr\u{FC}\u{DF}e, 1/2".utf8)
            #expect(try exchange(bench, [Kind.start]) == [[Kind.taken]])
            #expect(try exchange(bench, [Kind.text] + text.prefix(3)) == [[Kind.taken]])
            #expect(try exchange(bench, [Kind.text] + text.dropFirst(3)) == [[Kind.taken]])
            #expect(try exchange(bench, [Kind.end]) == [[Kind.taken]])
            #expect(try exchange(bench, [Kind.receipt]) == [receipt(text), [Kind.taken]])
            try bench.expectLines(["Gr\u{FC}\u{DF}e, 1\\2"])
            // Each receipt begins a new count.
            #expect(try exchange(bench, [Kind.receipt]) == [receipt([]), [Kind.taken]])
        }
    }

    @Test func aPingComesBack() throws {
        try withGreetedFrame { bench in
            let ping = [Kind.ping] + Array("0123456789abcdef".utf8)
            let answers = try exchange(bench, ping)
            #expect(answers == [ping, [Kind.taken]])
        }
    }

    @Test func theWearersCancelReachesTheHostInEveryState() throws {
        try withGreetedFrame { bench in
            bench.tap()
            try bench.expectLines(["Listening", "tap to cancel"])
            try bench.run(for: .seconds(1))
            bench.tap()
            try bench.expectLines(["Tap to speak", "tap twice for a photo"])
            try bench.run(for: .seconds(1))
            #expect(bench.messages().last == [Kind.cancel])
            bench.tap()
            try bench.expectLines(["Thinking", "tap to cancel"], within: .seconds(90))
            bench.tap()
            try bench.expectLines(["Tap to speak", "tap twice for a photo"])
            try bench.run(for: .milliseconds(100))
            #expect(bench.messages().last == [Kind.cancel])
            // What was under way is passed over, what comes behind the host's word is new.
            _ = try exchange(bench, [Kind.text] + Array("late".utf8))
            _ = try exchange(bench, [Kind.end])
            #expect(bench.lines.first == "Tap to speak")
            _ = try exchange(bench, [Kind.cancel])
            _ = try exchange(bench, [Kind.start])
            _ = try exchange(bench, [Kind.text] + Array("new".utf8))
            try bench.expectLines(["new"])
        }
    }

    @Test func anAppThatDoesNotGreetGetsNothingItDoesNotKnow() throws {
        try withFrame { bench in
            bench.tap()
            try bench.run(for: .seconds(1))
            bench.tap()
            try bench.send(Kind.start)
            try bench.send(Kind.text, "x")
            try bench.run(for: .seconds(1))
            #expect(bench.messages().allSatisfy { (0x10...0x18).contains($0.first ?? 0) })
        }
    }

    @Test func aNewLinkIsToldTheVersionAndHasToGreetAnew() throws {
        try withGreetedFrame { bench in
            bench.isConnected = false
            try bench.expectLines(["Link lost", "waiting for the app"])
            bench.isConnected = true
            try bench.expectLines(["Tap to speak", "tap twice for a photo"])
            #expect(bench.messages() == [[0x18] + Array(FrameBench.version.utf8)])
            try bench.send(Kind.start)
            try bench.run(for: .milliseconds(100))
            #expect(bench.messages().isEmpty)
        }
    }

    @Test func aCameraThatFailsEndsTheRequest() throws {
        try withFrame(prepare: { folder, _ in try Data().write(to: folder.root.appendingPathComponent("camera.jpg")) }) { bench in
            try bench.send(Kind.hello)
            bench.tap()
            try bench.run(for: .milliseconds(100))
            bench.tap()
            try bench.run { bench.lines.first == "The camera gives no" }
            try bench.run(for: .milliseconds(100))
            #expect(bench.messages().last == [Kind.cancel])
        }
    }

    // MARK: - A picture on the display

    private static let palette = (0..<48).map { UInt8($0 * 5) }

    private var bitmaps: (FrameBench) -> Int {
        { bench in
            let content = (try? String(contentsOf: bench.folder.display, encoding: .utf8)) ?? ""
            return content.components(separatedBy: "\"bitmap\"").count - 1
        }
    }

    @Test func aPictureIsSeenWhenItIsComplete() throws {
        try withGreetedFrame { bench in
            let rows = SeededNumbers.bytes(12_000, seed: 15)
            let header = Self.palette + [0, 60]
            _ = try exchange(bench, [Kind.start])
            _ = try exchange(bench, [Kind.palette] + header)
            for start in stride(from: 0, to: 12_000, by: 242) {
                _ = try exchange(bench, [Kind.rows] + rows[start..<min(12_000, start + 242)])
            }
            #expect(bitmaps(bench) == 0 && bench.lines.first == "Tap to speak")
            _ = try exchange(bench, [Kind.end])
            #expect(try exchange(bench, [Kind.receipt]) == [receipt(header + rows), [Kind.taken]])
            #expect(bitmaps(bench) == 60)
            // The next text has the display to itself.
            _ = try exchange(bench, [Kind.start])
            _ = try exchange(bench, [Kind.text] + Array("text".utf8))
            try bench.expectLines(["text"])
            #expect(bitmaps(bench) == 0)
        }
    }

    @Test func aPictureThatIsBrokenOffGoes() throws {
        try withGreetedFrame { bench in
            _ = try exchange(bench, [Kind.palette] + Self.palette)
            _ = try exchange(bench, [Kind.rows] + [UInt8](repeating: 0x12, count: 200))
            bench.isConnected = false
            try bench.expectLines(["Link lost", "waiting for the app"])
            #expect(bitmaps(bench) == 0)
            bench.isConnected = true
            try bench.expectLines(["Tap to speak", "tap twice for a photo"])
        }
    }

    @Test(arguments: [[UInt8](), [UInt8](repeating: 1, count: 47), [UInt8](repeating: 1, count: 200)])
    func aBrokenPaletteShowsNothingAndTheLoopGoesOn(palette: [UInt8]) throws {
        try withGreetedFrame { bench in
            _ = try exchange(bench, [Kind.palette] + palette)
            for seed in 0..<30 { _ = try exchange(bench, [Kind.rows] + SeededNumbers.bytes(242, seed: UInt64(seed))) }
            _ = try exchange(bench, [Kind.end])
            #expect(bench.printed.isEmpty)
            _ = try exchange(bench, [Kind.start])
            _ = try exchange(bench, [Kind.text] + Array("well".utf8))
            try bench.expectLines(["well"])
        }
    }

    // MARK: - Traps of the firmware

    /// `start` or a second `stop` within 50 ms of a `stop` reboots the unit, and the microphone runs on through break and reset.
    @Test func theMicrophoneIsLeftAloneBetweenStopAndStart() throws {
        try withFrame(prepare: { _, files in
            try Self.prefix("main.lua", of: files, with: """
                local stop, start, stopped, runs = frame.microphone.stop, frame.microphone.start, -1, true
                local function check() if frame.time.utc() - stopped < 0.05 then print('reboot') end end
                frame.microphone.stop = function() if runs then check() stopped = frame.time.utc() end runs = false stop() end
                frame.microphone.start = function(o) check() if runs then error('already started') end runs = true start(o) end
                """)
        }) { bench in
            for _ in 0..<3 {
                bench.tap()
                try bench.expectLines(["Listening", "tap to cancel"])
                try bench.run(for: .seconds(1))
                bench.deliver([.tap])
                try bench.expectLines(["Tap to speak", "tap twice for a photo"])
            }
            #expect(bench.printed.isEmpty)
        }
    }

    /// It fetches the picture's length when it says yes; before that a read gives an empty picture.
    @Test func theImageIsAskedForUntilItIsReadyAndNoLonger() throws {
        try withFrame(prepare: { _, files in
            try Self.prefix("main.lua", of: files, with: """
                local ready, read, asked, isReady = frame.camera.image_ready, frame.camera.read, 0, false
                frame.camera.image_ready = function()
                    if isReady then print('asked again') end
                    asked = asked + 1
                    isReady = asked > 3 and ready()
                    return isReady
                end
                frame.camera.read = function(n) if not isReady then print('too soon') end return read(n) end
                """)
        }) { bench in
            bench.tap()
            try bench.run(for: .milliseconds(100))
            bench.tap()
            try bench.expectLines(["Listening", "tap to cancel"])
            #expect(bench.messages().filter { $0.first == 0x13 }.flatMap { $0.dropFirst() } == FrameConversationTests.picture)
            #expect(bench.printed.isEmpty)
        }
    }

    /// Before the exchange of sizes `max_length()` is -1, and every send fails.
    @Test func withoutALengthItWaits() throws {
        let bench = try FrameBench()
        defer { bench.end() }
        bench.payloadSize = 0
        try bench.expectLines(["noa", "connect the app"])
        try bench.run(for: .seconds(10))
        #expect(bench.printed.isEmpty && bench.sent.isEmpty)
        bench.payloadSize = 244
        try bench.expectLines(["Tap to speak", "tap twice for a photo"])
    }

    @Test func anErrorIsPrintedForTheHostAndTheLoopGoesOn() throws {
        try withFrame(prepare: { _, files in
            try Self.prefix("main.lua", of: files, with: "frame.display.bitmap = function() error('no bitmap') end")
        }) { bench in
            try bench.send(Kind.palette, String(repeating: "a", count: 48))
            try bench.send([Kind.rows] + [UInt8](repeating: 0, count: 200))
            try bench.run(within: .seconds(10)) { bench.lines.first == "Something went wrong." }
            #expect(bench.printed.count == 1 && bench.printed[0].hasSuffix("no bitmap"))
            try bench.send(Kind.start)
            try bench.send(Kind.text, "well")
            try bench.expectLines(["well"])
        }
    }

    private static func prefix(_ name: String, of files: URL, with code: String) throws {
        let file = files.appendingPathComponent(name)
        try "\(code)\n\(String(contentsOf: file, encoding: .utf8))".write(to: file, atomically: true, encoding: .utf8)
    }
}
