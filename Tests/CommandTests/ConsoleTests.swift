import Bluetooth
import Foundation
import REPL
import Support
import TestSupport
import Testing

@testable import noafw

@Suite struct ConsoleTests {
    @Test(arguments: [
        ("plain text\r\n", "plain text\r\n"), ("\u{8}\u{8} \u{8}\t", "\u{8}\u{8} \u{8}\t"), ("a\u{1B}[K", "a\\u{1b}[K"),
        ("\u{1B}[12D\u{1B}[3C", "\\u{1b}[12D\\u{1b}[3C"), ("\u{1B}[2J", "\\u{1b}[2J"),
        ("\u{1B}]0;title\u{7}", "\\u{1b}]0;title\\u{7}"),
        ("\u{9B}2J", "\\u{9b}2J"), ("\u{202E}evil", "\\u{202e}evil"), ("grün 日本 🍵", "grün 日本 🍵"), ("\u{0}\u{7F}", "\\u{0}\\u{7f}"),
    ])
    func noSequenceReachesTheTerminal(sent: String, shown: String) {
        var whole = TerminalFilter()
        #expect(whole.show(Array(sent.utf8)) == shown)
        var slow = TerminalFilter()
        #expect(sent.utf8.map { slow.show([$0]) }.joined() == shown)
    }

    @Test func brokenCharactersAreMarked() {
        var filter = TerminalFilter()
        #expect(filter.show([0xFF, 0x41, 0xC3, 0x28, 0xE2, 0x82]) == "\u{FFFD}A\u{FFFD}(")
        #expect(filter.show([0x41]) == "\u{FFFD}\u{FFFD}A")
    }

    @Test(arguments: 0..<50) func whateverComesNothingActsOnTheTerminal(seed: UInt64) {
        var filter = TerminalFilter()
        let text = (0..<40).map { filter.show(SeededNumbers.bytes(50, seed: seed * 1000 + $0) + [0x1B, 0x5B]) }.joined()
        #expect(text.unicodeScalars.allSatisfy { UntrustedText.isHarmless($0) || "\u{8}\t\n\r".unicodeScalars.contains($0) })
    }

    private static func statements(_ text: String) throws -> [String] {
        var statements = PythonStatements()
        return try text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { try statements.take(String($0)) }
            + statements.finish()
    }

    @Test(arguments: [
        ("1+1\n\n# note\nx=2\n", ["1+1", "x=2"]),
        ("def f():\n  return 3\n\n  pass\nf()", ["def f():\n  return 3\n\n  pass\n", "f()"]),
        ("if x: # why\n  a\nelse:\n  b\ntry:\n  c\nexcept E:\n  d\nfinally:\n  e", [
            "if x: # why\n  a\nelse:\n  b\n", "try:\n  c\nexcept E:\n  d\nfinally:\n  e\n",
        ]),
        ("@d\ndef f():\n  pass\ndef g():\n  pass", ["@d\ndef f():\n  pass\n", "def g():\n  pass\n"]),
        ("if x: y\nz", ["if x: y", "z"]), ("if x: y\nelse: z\nw", ["if x: y\nelse: z\n", "w"]),
        ("d = {\n'a': 1, # {\n\n'b': [2,\n3]}\nd", ["d = {\n'a': 1, # {\n\n'b': [2,\n3]}\n", "d"]),
        ("s = '''one\n\n'two' # (\n'''\ns", ["s = '''one\n\n'two' # (\n'''\n", "s"]), ("'#' + \"(\"\n1", ["'#' + \"(\"", "1"]),
        ("x = 1 + \\\n2\nx", ["x = 1 + \\\n2\n", "x"]), ("def f():\n  a\n# note\n  b\nf()", ["def f():\n  a\n# note\n  b\n", "f()"]),
    ])
    func linesBecomeStatements(text: String, expected: [String]) throws { #expect(try Self.statements(text) == expected) }

    @Test func statementsAreBounded() {
        #expect(throws: CommandError.statementTooLong(limit: 16_384)) { try Self.statements(String(repeating: "x", count: 17_000)) }
        for text in ["if x:\n" + String(repeating: "  y\n", count: 5000), "(" + String(repeating: "1,\n", count: 9000)] {
            #expect(throws: CommandError.statementTooLong(limit: 16_384)) { try Self.statements(text) }
        }
    }

    /// What is sent for a line keeps to the released firmware.
    @Test func theCodeKeepsToTheFirmware() throws {
        let names = ["device.b", "pri"].compactMap { NameCompletion($0, .python) }.map(NameCompletion.python)
        let pieces = try ["1+1", "def f():\n pass\n"].map { String(decoding: try ConsoleLines.code($0).bytes, as: UTF8.self) }
            + ["import device"] + names
        #expect(try FirmwareNames.foreign(pieces: pieces) == [])
        #expect(!pieces.joined().contains("compile"))
        #expect(try ConsoleLines.code("'\u{3}\u{1C}'").bytes.allSatisfy { $0 > 5 && $0 != 0x1C })
    }
}

/// The built tool at the prompt of a virtual unit that runs the project's scripts.
@Suite(.serialized, .enabled(if: TestTools.mayRunMicroPython, "MicroPython is missing: run Tools/setup tests"))
struct WholeConsoleTests {
    private static let console = ["console", "--virtual", "monocle", "--virtual-speed", "max"]

    private static func bench() throws -> ToolBench {
        let bench = try ToolBench()
        let run = try bench.run(["flash", "--virtual", "monocle", "--virtual-speed", "max", "--only", "scripts"])
        #expect(run.status == 0, "\(run.errors)")
        return bench
    }

    @Test func linesAreRunAndTheProgramStartsAgain() throws {
        let bench = try Self.bench()
        defer { bench.remove() }
        let run = try bench.run(Self.console, input: "1+1\nprint('a\\x1b[2J')\nx = 7\ndef f():\n    return x\n\nf()\n'last'")
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output == "2\na\\u{1b}[2J\n7\n'last'\n")
        let chat = try bench.run([
            "chat", "--virtual", "monocle", "--virtual-speed", "max", "--assistant", "echo", "--no-verify", "--query", "hello",
        ])
        #expect(chat.status == 0, "\(chat.errors)")
    }

    /// A line is run once, whatever it raises and whatever it is.
    @Test func aSyntaxErrorFromWithinRunsNothingTwice() throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        let lines = """
            n = 0
            def f():
                global n
                n += 1
                exec('def (')

            f()
            n
            1, 2 # two
            a = 3; n += 1
              # nothing
            1), f()
            [x for x in (1, n)]
            lambda: 1)
            'a' 'b'
            1), f(), (2
            """
        let run = try bench.run(Self.console + ["--stay"], input: lines)
        #expect(run.status == 1)
        #expect(run.output == "1\n(1, 2)\n[1, 2]\n'ab'\n", "\(run.errors)")
        #expect(run.errors.components(separatedBy: "SyntaxError").count == 5, "\(run.errors)")
    }

    @Test func anExceptionIsExitCodeOneAndTheRestIsRun() throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        let run = try bench.run(Self.console + ["--stay"], input: "nosuchname\nx = \nraise ValueError('\\x1b[2J')\nprint(5)\n")
        #expect(run.status == 1)
        #expect(run.output == "5\n")
        for line in ["NameError", "SyntaxError", "ValueError: "] { #expect(run.errors.contains(line), "\(run.errors)") }
        #expect(!run.errors.contains("\u{1B}"))
    }

    private static func atTheTerminal(_ bench: ToolBench, columns: UInt16 = 100) throws -> TerminalTool {
        let tool = try TerminalTool(
            ["console", "--virtual", "monocle", "--virtual-speed", "4"], environment: bench.environment(), columns: columns)
        try tool.waitFor("help explains.")
        try tool.waitFor(">>> ")
        return tool
    }

    @Test func aPersonTypesAtThePrompt() throws {
        let bench = try Self.bench()
        defer { bench.remove() }
        let tool = try Self.atTheTerminal(bench)
        tool.type("40+4x\u{7F}\r")
        try tool.waitFor("\u{1B}[J44")
        tool.type("import time\r")
        try tool.waitFor(">>> ")
        tool.type("while True: print('tick'); time.sleep(1)\r\r")
        try tool.waitFor("\u{1B}[Jtick")
        repeat {
            tool.type("\u{03}")
            Thread.sleep(forTimeInterval: 0.3)
        } while try tool.waitFor(oneOf: ["KeyboardInterrupt", "\u{1B}[Jtick"]) != "KeyboardInterrupt"
        try tool.waitFor(">>> ")
        tool.type("n = input('name? ')\r")
        try tool.waitFor("\u{1B}[Jname? ")
        tool.type("Noa\r")
        try tool.waitFor(">>> ")
        tool.type("'<' + n + '>'\r")
        try tool.waitFor("\u{1B}[J'<Noa>'")
        tool.type("print('a\\x1b[2Jb')\r")
        try tool.waitFor("\u{1B}[Ja\\u{1b}[2Jb")
        tool.type("\u{1D}")
        #expect(tool.wait().status == 0, "\(tool.screen)")
        #expect(!tool.screen.contains("\u{1B}[2J"))
        let modes = UInt32(ICANON | ECHO | ISIG)
        #expect(tool.localModes & modes == modes)
    }

    /// What a person at an editor does: names of the unit, a paste, wide characters, earlier inputs of another session.
    @Test func inputsAreCompletedPastedAndRemembered() throws {
        let bench = try Self.bench()
        defer { bench.remove() }
        let tool = try Self.atTheTerminal(bench, columns: 80)
        tool.type("import device\rdevice.bat\t()\r")
        try tool.waitFor("device.battery_level()")
        try tool.waitFor(">>> ")
        let text = "def twice(x):\n    \"\"\"Not\n\n    once.\"\"\"\n"
            + "    if x:\n        return 2 * x\n\n    else:\n        return 0\n\ntwice(21)"
        tool.type("\u{1B}[200~\(text)\u{1B}[201~")
        try tool.waitFor("twice(21)")
        tool.type("\r")
        try tool.waitFor("\u{1B}[J42")
        tool.type("len('\(String(repeating: "日本", count: 30))')\r")
        try tool.waitFor("\u{1B}[J60")
        tool.type("'\(String(repeating: "w", count: 50))'")
        try tool.waitFor("www'")
        tool.resize(columns: 40)
        try tool.waitFor(">>> '\(String(repeating: "w", count: 34))\r\r\n... w")
        tool.resize(columns: 80)
        try tool.waitFor(">>> '\(String(repeating: "w", count: 50))'")
        tool.type("\u{03}exit\r")
        #expect(tool.wait().status == 0, "\(tool.screen)")
        var screen = TerminalScreen(columns: 80)
        screen.write(tool.screen)
        #expect(screen.foreign == [] && screen.lines.contains("...     once.\"\"\"") && screen.lines.contains("42"), "\(screen.lines)")

        let history = bench.state.appendingPathComponent("console-python-history")
        #expect(try FileManager.default.attributesOfItem(atPath: history.path)[.posixPermissions] as? Int == 0o600)
        let again = try Self.atTheTerminal(bench)
        again.type("\u{12}twice\r\r")
        try again.waitFor("\u{1B}[J42")
        again.type("\u{04}")
        #expect(again.wait().status == 0, "\(again.screen)")
    }

    @Test func aUnitIsSentIntoSafeMode() throws {
        let bench = try Self.bench()
        defer { bench.remove() }
        let tool = try Self.atTheTerminal(bench)
        let (again, done) = ("Press Ctrl-\\ again to restart the unit", "The unit restarts into safe mode.")
        // Beside a busy machine the second key may come too late, and only warns again.
        repeat { tool.type("\u{1C}") } while try tool.waitFor(oneOf: [again, done]) == again
        #expect(tool.wait().status == 0)
    }
}
