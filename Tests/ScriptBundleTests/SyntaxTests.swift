import Bluetooth
import Foundation
import Support
import TestSupport
import Testing

@testable import ScriptBundle

@Suite(.enabled(if: TestTools.mayCheckSyntax, "a compiler is missing: run Tools/setup tests"))
struct SyntaxTests {
    private func file(_ name: String, _ text: String) -> ScriptSet.File { .init(name: name, bytes: Array(text.utf8)) }

    private func python() throws -> SyntaxChecker {
        SyntaxChecker(.mpyCross, path: try TestTools.require(TestTools.mpyCross, "mpy-cross"))
    }

    private func lua() throws -> SyntaxChecker { SyntaxChecker(.luac, path: try TestTools.require(TestTools.luac, "luac")) }

    @Test func goodScriptsPass() throws {
        try python().check([file("a.py", "x = '''\n\\x03'''\r\n"), file("-o", "y = 1"), file("empty.py", "")])
        try lua().check([file("a.lua", "local s = [===[\nx]===]\n"), file("--", "return 1")])
    }

    @Test func aMistakeIsNamedWithItsPlace() throws {
        let python = try python()
        #expect(throws: BundleError.syntax(SyntaxMistake(file: "b.py", line: 3, says: "SyntaxError: invalid syntax"))) {
            try python.check([file("a.py", "x = 1\n"), file("b.py", "x = 1\ny = (\n"), file("c.py", ")")])
        }
        let lua = try lua()
        #expect {
            try lua.check([file("b.lua", "x = 1\ny = = 2\n")])
        } throws: { error in
            guard case .syntax(let mistake)? = error as? BundleError else { return false }
            return mistake.place == "b.lua:2" && mistake.says.hasPrefix("unexpected symbol")
        }
    }

    @Test func theMistakesOfAllFilesAreFound() throws {
        let found = try python().mistakes(in: [file("a.py", "x = 1\n"), file("b.py", "y = (\n"), file("c.py", "\n\n)")])
        #expect(found.map(\.place) == ["b.py:2", "c.py:3"] && Set(found.map(\.says)) == ["SyntaxError: invalid syntax"])
        let lua = try lua().mistakes(in: [
            file("a.lua", "x = 1\ny = = 2\n"), file("b.lua", "return 1"), ScriptSet.File(name: "c.lua", bytes: [0x1B]),
            file("d.lua", "x = \"stdin:9: no\nz"),
        ])
        #expect(lua.map(\.place) == ["a.lua:2", "c.lua", "d.lua:1"], "\(lua)")
    }

    /// 126 and 127 come from the system.
    @Test(arguments: [(1, true), (125, true), (126, false), (127, false)])
    func aCompilerThatCouldNotRunFindsNoMistake(status: Int, isMistake: Bool) throws {
        let folder = try TemporaryFolder()
        let compiler = try folder.write("#!/bin/sh\ncat >/dev/null\necho no\nexit \(status)\n", to: "compiler")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: compiler)
        do {
            try SyntaxChecker(.mpyCross, path: compiler).check([file("a.py", "x = 1")])
            Issue.record("status \(status) is a success")
        } catch {
            if case .syntax = error { #expect(isMistake) } else { #expect(!isMistake, "\(error)") }
        }
    }

    /// luac would load it without a check.
    @Test func compiledChunksAreRefused() throws {
        let lua = try lua()
        #expect(throws: BundleError.syntax(SyntaxMistake(file: "a.lua", line: nil, says: "it is a compiled chunk, not a script"))) {
            try lua.check([ScriptSet.File(name: "a.lua", bytes: [0x1B] + Array("Lua".utf8))])
        }
    }

    /// Read as one text, the second script would mend the first.
    @Test(arguments: [
        ("x = (", ")\n"), ("x = [1,", "2]\n"), ("x = {", "}"), ("x = '''a", "b'''\n"), ("x = \"\"\"a\n", "b\"\"\"\n"),
        ("x = f'''{1}", "'''"),
        ("x = 1 + \\", "2\n"), ("x = 'a\\", "b'\n"),
        ("if 1:\n", " x = 1\n"), ("try:\n x = 1\n", "except:\n x = 2\n"),
        ("@f\n", "def g(): pass\n"), ("if 1:\n x = 1\n", "else:\n x = 2\n"), ("x = '''a''", "'\n"),
        ("from micropython import const\nX = const(1)\n", "Y = const(X)\n"),
    ])
    func noScriptMendsAnother(first: String, second: String) throws {
        let files = [file("a.py", first), file("b.py", second), file("c.py", "z = 1\n")]
        let alone = try files.flatMap { try python().mistakes(in: [$0]) }
        #expect(!alone.isEmpty)
        #expect(try python().mistakes(in: files) == alone)
    }

    /// One compiler for many files.
    @Test func smallScriptsGoTogether() {
        let files = (0..<1000).map { file("\($0).py", "x = \($0)\n") }
        #expect(ScriptGroup.groups(of: files, for: .mpyCross).count == 1)
        #expect(ScriptGroup.groups(of: files, for: .luac).count == 1000)
        for alone in ["x = 1 \\", "x = 1 \\\r\n", "\u{FEFF}x = 1\n", "x = const(1)\n"] {
            let groups = ScriptGroup.groups(of: [file("a.py", "x = 1\n"), file("b.py", alone), file("c.py", "x = 1\n")], for: .mpyCross)
            #expect(groups.map(\.files.count) == [1, 1, 1], "\(alone)")
        }
        let large = (0..<4).map { file("\($0).py", String(repeating: "#", count: 200_000)) }
        #expect(ScriptGroup.groups(of: large, for: .mpyCross).count == 4)
        let halves = (0..<3).map { file("\($0).py", String(repeating: "#", count: 128 * 1024)) }
        #expect(ScriptGroup.groups(of: halves, for: .mpyCross).map(\.files.count) == [2, 1])
    }

    @Test func tenMebibytesAreCompiled() throws {
        let line = Array("x = 1 # ten mebibytes of assignments and of comments\n".utf8)
        let bytes = Array((0..<(10 << 20) / line.count).map { _ in line }.joined())
        try python().check([.init(name: "a.py", bytes: bytes)])
    }

    @Test func manyScriptsAreCheckedInOrder() throws {
        let python = try python()
        let count = TestRange.isFull ? 300 : 60
        let (first, second) = (count - 20, count - 5)
        let files = (0..<count).map { file("\($0).py", $0 == first || $0 == second ? "(" : "x = \($0)\n") }
        #expect { try python.check(files) } throws: { error in
            guard case .syntax(let mistake)? = error as? BundleError else { return false }
            return mistake.file == "\(first).py"
        }
    }
}

@Suite struct BoundedProcessTests {
    private func run(
        _ program: String, _ arguments: [String], input: [UInt8] = [], milliseconds: Int = 20_000
    ) throws -> BoundedProcess.Ending {
        try #require(BoundedProcess(program, arguments, input: input, outputLimit: 100)).wait(milliseconds: milliseconds)
    }

    @Test func itGetsNothingButItsInput() throws {
        setenv("NOAFW_TEST_SECRET", "hunter2", 1)
        #expect(try run("/usr/bin/env", []) == .exited(status: 0, output: Array("PATH=/usr/bin:/bin\nLC_ALL=C\n".utf8)))
        #expect(try run("/bin/cat", [], input: [0, 3, 255]) == .exited(status: 0, output: [0, 3, 255]))
        let leak = open("/dev/null", O_RDONLY)
        defer { close(leak) }
        // The fourth is the folder that is being listed.
        #expect(try run("/bin/ls", ["/proc/self/fd"]) == .exited(status: 0, output: Array("0\n1\n2\n3\n".utf8)))
    }

    @Test func itIsBounded() throws {
        #expect(try run("/usr/bin/head", ["-c", "1000000", "/dev/zero"]) == .exited(status: 0, output: [UInt8](repeating: 0, count: 100)))
        #expect(try run("/bin/sleep", ["600"], milliseconds: 20) == .timedOut)
        #expect(try run("/bin/sh", ["-c", "exec 1>&- 2>&-; exec sleep 600"], milliseconds: 100) == .timedOut)
        #expect(try run("/bin/sh", ["-c", "kill -9 $$"]) == .killed(signal: 9))
        #expect(BoundedProcess("/nonexistent", [], input: [], outputLimit: 1) == nil)
    }
}
