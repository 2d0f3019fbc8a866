import Foundation
import Support
import TestSupport
import Testing

/// The Monocle's scripts with a display, a clock and callbacks that are the device's, one module at a time.
@Suite(.enabled(if: TestTools.mayRunMicroPython, "MicroPython is missing: run Tools/setup tests"))
struct ScriptLimitTests {
    private static func run(_ program: String, modules: [String: String] = [:], input: String = "") throws -> StrictDisplay.Outcome {
        var all = modules
        for name in ["states", "graphics", "audio", "photo"] {
            all[name] = try String(contentsOf: Repository.scripts.appendingPathComponent("\(name).py"), encoding: .utf8)
        }
        return try StrictDisplay.run(program, modules: all, input: input)
    }

    @Test func noCallExceedsWhatTheDisplayTakes() throws {
        let program = """
            import graphics, display
            def draw(data):
                page = graphics.Page(display.WHITE)
                for start in range(0, len(data), 50):
                    page.add(graphics.plain(data[start:start + 50]))
                    while page.waiting:
                        page.step()
                        page.show()
            seed = 7
            def number(limit):
                global seed
                seed = (seed * 1103515245 + 12345) & 0x7fffffff
                return (seed >> 8) % limit
            draw(b"x" * 500)
            draw(("w" * 26 + " ").encode() * 20)
            print(len(display.rows), sum(len(row) for row in display.rows))
            draw("\\u0449\\u20ac\\u2026 \\U0001f600".encode() * 60)
            for _ in range(40):
                draw(bytes([number(256) for _ in range(400)]))
                draw(bytes([b" \\nabc\\xd0\\xb9\\xe2\\x80\\xa6"[number(10)] for _ in range(400)]))
            for text in ("", "x" * 26, "x" * 400, "\\u0449" * 26, "\\u0449" * 400):
                graphics.show_screen(text, text, display.WHITE)
            print("whole")
            """
        let outcome = try Self.run(program)
        #expect(outcome.output.hasPrefix("8 208\n"), "eight full rows: \(outcome.output.suffix(400))")
        #expect(outcome.status == 0 && outcome.output.hasSuffix("whole\n"), "\(outcome.output.suffix(400))")
    }

    /// `ticks_ms` falls to 0 every 16,384 s.
    @Test func nothingHangsWhereTheClockTurns() throws {
        let program = """
            import states, audio, photo, time
            class Clock:
                now = 16383900
                def ticks_ms(self):
                    self.now = (self.now + 10) % 16384000
                    return self.now
                def ticks_diff(self, end, start):
                    return time.ticks_diff(end, start)
                def sleep_ms(self, count):
                    self.now = (self.now + count) % 16384000
            for turn in range(16383000, 16384000, 250):
                clock = Clock()
                clock.now = turn
                for module in (states, audio, photo):
                    module.time = clock
                begun = clock.ticks_ms()
                clock.sleep_ms(700)
                assert 700 <= states.since(begun) < 720
                finger = states.Finger()
                finger.came = True
                looks = 0
                while finger.look(True) != "hold":
                    clock.sleep_ms(40)
                    looks += 1
                    assert looks < 20
                recording = audio.Recording(False)
                steps = 0
                while not recording.step():
                    clock.sleep_ms(100)
                    steps += 1
                    assert steps < 100
                assert steps > 50, steps
                bluetooth_busy = audio.bluetooth
                bluetooth_busy.busy = True
                try:
                    audio.send(b"dat:")
                    assert False
                except audio.LinkLost:
                    bluetooth_busy.busy = False
                picture = photo.Picture()
                steps = 0
                try:
                    while not picture.step():
                        clock.sleep_ms(100)
                        steps += 1
                        assert steps < 50
                except photo.NoPicture:
                    print("none")
            """
        let bluetooth = """
            busy = False
            def send(message):
                if busy:
                    raise OSError("raw data service is busy")
            def connected():
                return True
            def max_length():
                return 0
            """
        let microphone = "def record(*, sample_rate=16000, bit_depth=16, seconds=5.0):\n    pass\ndef read(samples):\n    return None\n"
        let camera = "def capture():\n    pass\ndef read(bytes=254):\n    return None\n"
        let outcome = try Self.run(program, modules: ["bluetooth": bluetooth, "microphone": microphone, "camera": camera])
        #expect(outcome.status == 0 && outcome.output == String(repeating: "none\n", count: 4), "\(outcome.output)")
    }

    /// The firmware keeps callbacks where the collector does not look.
    @Test func theCallbacksAreHeldByTheProgram() throws {
        let main = try String(contentsOf: Repository.scripts.appendingPathComponent("main.py"), encoding: .utf8)
        let program = """
            import gc
            \(main.replacing("app.run()", with: ""))
            gc.collect()
            assert bluetooth.callback is app.callbacks[0] and touch.callbacks["EITHER"] is app.callbacks[1]
            bluetooth.callback(b"res:held")
            print(app.inbox)
            """
        let bluetooth = "def receive_callback(new):\n    global callback\n    callback = new\n"
        let touch = "A, B, BOTH, EITHER = 'A', 'B', 'BOTH', 'EITHER'\ncallbacks = {}\ndef callback(pad, new):\n    callbacks[pad] = new\n"
        let outcome = try Self.run(program, modules: ["bluetooth": bluetooth, "touch": touch, "microphone": "", "camera": ""])
        #expect(outcome.output == "[b'res:held']\n", "\(outcome.output)")
    }
}
