import Bluetooth
import FrameFamily
import Provisioning
import Support
import TestSupport
import Testing
import VirtualDevices

/// A command is a round trip, and costs two connection intervals and more: each question is asked once between two restarts.
@Suite(.enabled(if: TestTools.mayRunFrameLua, "the virtual Frame's Lua is missing: run Tools/setup runtime"), .serialized)
struct FrameRoundTripTests {
    private struct Counts {
        /// Writes to the prompt but for those that carry the bytes of scripts.
        var commands = 0
        var breaks = 0
        var versions = 0
        var surveys = 0
        var tenths = 0

        init(_ heard: (wire: Wire, duration: Duration)) {
            for text in heard.wire.packets.map({ String(decoding: $0, as: UTF8.self) }) where !text.contains("_nf.w,") {
                commands += 1
                if text == "\u{3}" { breaks += 1 }
                if text.contains("FIRMWARE_VERSION") { versions += 1 }
                if text.contains("return _nf.v(") { surveys += 1 }
            }
            tenths = Int(heard.duration / .milliseconds(100))
        }
    }

    @Test func questionsAreFew() async throws {
        let bench = Bench(.frame)
        defer { bench.remove() }
        let assets = try FrameSamples.assets()
        let full = Counts(try await bench.listenToFlash(assets)), current = Counts(try await bench.listenToFlash(assets))
        let deep = Counts(try await bench.listenToVerification(assets))
        print("full flash:", full, "current flash:", current, "deep verification:", deep, separator: "\n")
        // Twice at first, and after the firmware's restart; one reading for what a person has put there, two before the upload, one of
        // each new file, two around the renaming; at last what the program has left.
        #expect(full.versions == 3 && full.breaks == 3 && full.surveys == 8)
        #expect(current.versions == 1 && current.breaks == 2 && current.surveys == 2)
        #expect(deep.versions == 1 && deep.breaks == 2 && deep.surveys == 2)
        #expect(current.commands <= 54 && deep.commands <= 54 && full.commands <= 97)
    }
}
