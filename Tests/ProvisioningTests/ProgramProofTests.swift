import Bluetooth
import Foundation
import FrameFamily
import MonocleFamily
import Provisioning
import ScriptBundle
import Support
import TestSupport
import Testing
import VirtualFaults

/// The verdict on units whose scripts are what they should be, and whose programs live or do not.
@Suite(.enabled(if: TestTools.mayRunMicroPython, "MicroPython is missing: run Tools/setup tests"), .serialized)
struct ProgramProofTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var program: String
        /// Of the failure, and a part of its sentence; `nil` for a unit that is proved.
        var code: String?
        var sentence = ""
        var proof: ProgramVerification.Sign?
        /// The files differ afterwards.
        var isFoundAgain = false

        var testDescription: String { name }
    }

    private static let catching = """
        import time
        for left in 2, 1, 0:
            try:
                while True: time.sleep(1)
            except KeyboardInterrupt:
                if not left: raise
        """

    static let cases = [
        Case(name: "raises at once", program: "import nosuchmodule", code: "PRV-0040",
             sentence: "the unit's program fails: ImportError: no module named 'nosuchmodule'"),
        Case(name: "raises after 2 s", program: "import time\ntime.sleep(2)\n1/0", code: "PRV-0040",
             sentence: "ZeroDivisionError: divide by zero"),
        Case(name: "syntax error", program: "def (", code: "PRV-0040", sentence: "SyntaxError: invalid syntax"),
        Case(
            name: "raises behind a print", program: "print('x', end='')\n1/0", code: "PRV-0040",
            sentence: "ZeroDivisionError: divide by zero"),
        Case(name: "raises its own", program: "class Boom(Exception): pass\nprint('x' * 700, end='')\nraise Boom(5)", code: "PRV-0040",
             sentence: "the unit's program fails: Boom: 5"),
        Case(
            name: "raises without a word", program: "class Boom(Exception): pass\nraise Boom", code: "PRV-0040",
            sentence: "program fails: Boom:"),
        Case(name: "memory", program: "x=[0]*20000", code: "PRV-0040", sentence: "MemoryError"),
        Case(name: "prints its errors and goes on",
            program: "import sys,time\nwhile True:\n  try:\n    1/0\n  except Exception as e:\n    sys.print_exception(e)\n  time.sleep(1)",
             code: "PRV-0040", sentence: "ZeroDivisionError"),
        Case(name: "ends", program: "print('done')", code: "PRV-0041", sentence: "has ended"),
        Case(name: "restarts the unit", program: "import device\ndevice.reset()", code: "PRV-0045", sentence: "the link ends each time"),
        Case(name: "leaves", program: "import sys\nsys.exit()", code: "PRV-0041", sentence: "has ended"),
        Case(name: "prints for ever", program: "while True: print('here I am')", code: "PRV-0043", sentence: "here I am"),
        Case(name: "prints each second", program: "import time\nwhile True:\n  print('tick')\n  time.sleep(1)", code: "PRV-0043",
             sentence: "tick"),
        Case(name: "hangs before its sign", program: "import bluetooth\nwhile True: pass\nbluetooth.send(b'rdy:')", code: "PRV-0042",
             sentence: "within 15 s"),
        Case(
            name: "sends something else and hangs",
            program: """
                import bluetooth,time
                while not bluetooth.connected(): time.sleep_ms(10)
                bluetooth.send(b'dat:rdy:')
                while True: time.sleep(1)
                """,
            code: "PRV-0042", sentence: "does not say that it is ready"),
        Case(name: "dies right after its sign",
             program: """
                import bluetooth,time
                while not bluetooth.connected(): time.sleep_ms(10)
                bluetooth.send(b'rdy:')
                time.sleep_ms(100)
                raise ValueError('too early')
                """,
             code: "PRV-0040", sentence: "ValueError: too early"),
        Case(name: "dies 1 s after its sign",
             program: """
                import bluetooth,time
                while not bluetooth.connected(): time.sleep_ms(10)
                bluetooth.send(b'rdy:')
                time.sleep_ms(1000)
                raise ValueError('too early')
                """,
             code: "PRV-0040", sentence: "ValueError: too early"),
        Case(name: "removes a file of its set",
             program: """
                import bluetooth,os,time
                os.remove('extra1.py')
                while not bluetooth.connected(): time.sleep_ms(10)
                bluetooth.send(b'rdy:')
                while True: time.sleep(1)
                """,
             code: "PRV-0044", sentence: "extra1.py is missing", isFoundAgain: true),
        Case(name: "endless loop", program: "while True: pass", proof: .silent),
        Case(name: "says a word and falls quiet", program: "import time\nprint('hello')\nwhile True: time.sleep(1)", proof: .silent),
        Case(name: "speaks late and falls quiet", program: "import time\ntime.sleep(4)\nprint('connected')\nwhile True: time.sleep(1)",
             proof: .silent),
        Case(name: "catches two interrupts, silently", program: catching, proof: .silent),
        Case(name: "catches two interrupts after its sign", program: "import bluetooth\nbluetooth.send(b'rdy:')\n\(catching)",
             proof: .announced),
        Case(name: "says so at the last moment",
             program: """
                import bluetooth,time
                time.sleep_ms(14700)
                bluetooth.send(b'rdy:')
                while True: time.sleep(1)
                """,
             proof: .announced),
        Case(name: "takes 7 s to say so",
             program: """
                import bluetooth,time
                time.sleep(7)
                bluetooth.send(b'rdy:')
                while True: time.sleep(1)
                """,
             proof: .announced),
    ]

    @Test(arguments: cases)
    func theVerdictIsTheProgramsOwn(_ given: Case) async throws {
        let bench = Bench()
        defer { bench.remove() }
        let scripts = try ScriptSet(
            files: [.init(name: "extra1.py", bytes: Array("x = 1\n".utf8)), .init(name: "main.py", bytes: Array(given.program.utf8))])
        let assets = AssetSet(scripts)
        var options = JobOptions()
        options.components = [.scripts]

        let flashed = try await bench.flash(assets, options: options)
        #expect(flashed.error?.code == given.code, "\(String(describing: flashed.error))")
        #expect(flashed.error?.message.contains(given.sentence) ?? true, "\(String(describing: flashed.error))")
        #expect(flashed.program?.sign == given.proof)
        #expect(flashed.recoveries.isEmpty || given.code == "PRV-0045", "\(flashed.recoveries)")

        let deep = try await bench.verify(assets)
        if given.isFoundAgain { return #expect(!deep.passed && deep.findings[.scripts]?.matches == false, "\(deep)") }
        #expect(deep.error?.code == given.code, "\(String(describing: deep.error))")
        #expect(deep.program?.sign == given.proof)
        #expect(deep.findings[.scripts]?.matches == true)

        // Versions alone are asked for: they match.
        let look = try await bench.verify(assets, isDeep: false)
        #expect(look.passed, "\(look)")
        #expect(look.program == nil)
    }

    /// As long as the caller wants, and no longer: what comes after that is not seen.
    @Test(arguments: [(watch: 2, code: nil), (7, "PRV-0040" as String?)])
    func aProgramIsWatchedForAsLongAsIsAsked(watch: Int, code: String?) async throws {
        let bench = Bench()
        defer { bench.remove() }
        let scripts = try ScriptSet(files: [.init(name: "main.py", bytes: Array("""
            import bluetooth,time
            while not bluetooth.connected(): time.sleep_ms(10)
            bluetooth.send(b'rdy:')
            time.sleep(5)
            1/0
            """.utf8))])
        var options = JobOptions()
        options.programWatch = .seconds(watch)
        let report = try await bench.flash(AssetSet(scripts), options: options)
        #expect(report.error?.code == code && (report.program?.seconds ?? watch) >= watch, "\(report)")
    }

    /// A link may pause for almost as long as a program is watched: what the unit says meanwhile comes late.
    @Test(arguments: [true, false], ["error", "end"])
    func aPauseHidesNoDeath(ofAMonocle isMonocle: Bool, by death: String) async throws {
        let program = isMonocle
            ? """
                import bluetooth,time
                while not bluetooth.connected(): time.sleep_ms(10)
                bluetooth.send(b'rdy:')
                time.sleep_ms(1700)

                """ : "frame.bluetooth.send('\\x18' .. ARGPT_VERSION) -- \\x17\nframe.sleep(2)\n"
        let last = death == "end" ? "" : isMonocle ? "raise ValueError('too early')" : "error('too early')"
        let scripts = try ScriptSet(
            files: [.init(name: isMonocle ? "main.py" : "main.lua", bytes: Array((program + last).utf8))],
            family: isMonocle ? .monocle : .frame)
        var bench = Bench(isMonocle ? .monocle : .frame)
        defer { bench.remove() }
        var options = JobOptions()
        options.components = [.scripts]
        let code = death == "end" ? "PRV-0041" : "PRV-0040"
        #expect(try await bench.flash(AssetSet(scripts), options: options).error?.code == code)
        for event in 1...12 {
            bench.faults.silentEventAfterData = event
            let report = try await bench.verify(AssetSet(scripts))
            #expect(report.error?.code == code, "silent from event \(event) on: \(report)")
        }
    }

    /// Three in a row are the program's fault.
    @Test(arguments: [(count: 2, code: nil), (3, "PRV-0042" as String?)])
    func aLostSignIsNoSilentProgram(count: Int, code: String?) async throws {
        var bench = Bench()
        defer { bench.remove() }
        bench.faults.lostDataNotifications = Set(1...count)
        let scripts = try ScriptSet(files: [.init(name: "main.py", bytes: Array("""
            import bluetooth,time
            while not bluetooth.connected(): time.sleep_ms(10)
            bluetooth.send(b'rdy:')
            while True: time.sleep(1)
            """.utf8))])
        var options = JobOptions()
        options.components = [.scripts]
        let report = try await bench.flash(AssetSet(scripts), options: options)
        #expect(report.error?.code == code && report.program?.sign == (code == nil ? .announced : nil), "\(report)")
    }

    @Test func ourOwnScriptsAnnounceThemselves() async throws {
        let bench = Bench()
        defer { bench.remove() }
        let scripts = try ScriptSet.load(folder: TestTools.root.appendingPathComponent("Scripts/monocle").path)
        let report = try await bench.flash(AssetSet(scripts))
        #expect(report.passed, "\(String(describing: report.error))")
        #expect(report.program?.sign == .announced)
    }
}
