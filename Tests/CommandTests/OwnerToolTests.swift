import Foundation
import TestSupport
import Testing

/// The built tool in the hands of an owner: files, programs, what is kept.
@Suite(
    .enabled(if: TestTools.mayRunMicroPython && TestTools.mayRunFrameLua, "the interpreters are missing: run Tools/setup tests"),
    .serialized)
struct OwnerToolTests {
    enum Kind: String, CaseIterable, CustomTestStringConvertible {
        case monocle, frame
        var testDescription: String { rawValue }
        var suffix: String { self == .monocle ? "py" : "lua" }
        var unit: [String] { ["--virtual", rawValue, "--virtual-speed", "max"] }
        func files(_ bench: ToolBench) -> URL { bench.state.appendingPathComponent("virtual/\(rawValue)/default/files") }
    }

    private static func write(_ text: String, _ name: String, _ bench: ToolBench) throws -> String {
        let file = bench.state.appendingPathComponent(name)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
        return file.path
    }

    @Test(arguments: Kind.allCases) func foldersGoBothWays(kind: Kind) throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        for (name, text) in ["lib/a.txt": "one\n\n", "lib/deep/b.txt": "two", "lib/empty.txt": ""] {
            _ = try Self.write(text, "mine/\(name)", bench)
        }
        let mine = bench.state.appendingPathComponent("mine").path
        func fs(_ arguments: String...) throws -> (status: Int32, output: String, errors: String) {
            try bench.run(["fs"] + arguments + kind.unit)
        }
        let sent = try fs("cp", "-r", "\(mine)/lib", ":")
        #expect(sent.status == 0 && sent.output.hasSuffix("3 files copied (8 bytes)\n"), "\(sent)")
        #expect(try fs("cp", "-r", "\(mine)/lib", ":").output == "0 files copied (0 bytes), 3 the same already\n")
        #expect(try fs("ls", "-r").output == """
                       lib/
                    5  lib/a.txt
                       lib/deep/
                    3  lib/deep/b.txt
                    0  lib/empty.txt

            """)
        #expect(try fs("cp", "-r", ":lib/", "\(mine)/back").status == 0)
        for name in ["a.txt", "deep/b.txt", "empty.txt"] {
            let (there, back) = (URL(fileURLWithPath: "\(mine)/lib/\(name)"), URL(fileURLWithPath: "\(mine)/back/\(name)"))
            #expect(try Data(contentsOf: back) == Data(contentsOf: there))
        }
        #expect(try fs("cat", ":lib/a.txt").output == "one\n\n")
        #expect(try fs("rm", ":lib").status == 64 && fs("cat", ":none").status == 66 && fs("cp", ":lib", mine).status == 64)
        #expect(try fs("rm", "-r", ":lib").status == 0 && fs("ls").output.isEmpty)
        // A result goes into no folder of noafw's own.
        #expect(try fs("mkdir", "x").status == 0 && fs("cp", "-r", ":", "\(bench.state.path)/ledger").status == 64)
    }

    @Test(arguments: Kind.allCases) func codeRunsWithItsArguments(kind: Kind) throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        let code = kind == .monocle
            ? "import sys\ndef f():\n    raise ValueError('boom')\nfor i in range(30):\n    print('tick', i)\nprint(sys.argv[1:])\nf()\n"
            : "local function f()\n  error('boom')\nend\nfor i=0,29 do\n  print('tick', i)\nend\nprint(...)\nf()\n"
        let file = try Self.write(code, "mine/test.\(kind.suffix)", bench)
        let run = try bench.run(["run", file, "a'\"b", "c"] + kind.unit)
        #expect(run.status == 1)
        let separator = kind == .monocle ? " " : "\t"
        let shown = run.output.split(separator: "\n").map(String.init)
        #expect(shown.dropLast() == ArraySlice((0..<30).map { "tick\(separator)\($0)" }), "\(run.output)")
        #expect(kind == .monocle ? shown.last?.hasSuffix("'c']") == true : shown.last == "a'\"b\tc", "\(run.output)")
        #expect(run.errors.contains(kind == .monocle ? "File \"test.py\"" : "test.lua:2: boom"), "\(run.errors)")
        #expect(!run.errors.contains("_nf") && !run.errors.contains("<stdin>"), "\(run.errors)")
        let exec = try bench.run(["exec", "print(6*7)"] + kind.unit)
        #expect(exec.status == 0 && exec.output == "42\n", "\(exec)")
        #expect(try bench.run(["exec", "x = = 1"] + kind.unit).status == 1)
        #expect(try bench.run(["reset"] + kind.unit).status == 0)
    }

    /// A run takes an owner's program, and a restore brings it back; so does the next one with what it took.
    @Test(arguments: Kind.allCases) func whatARunTakesComesBack(kind: Kind) throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        let own = kind == .monocle ? "import time\nwhile True:\n    time.sleep(1)\n" : "while true do frame.sleep(0.1) end\n"
        let file = try Self.write(own, "mine/main.\(kind.suffix)", bench)
        let main = kind.files(bench).appendingPathComponent("main.\(kind.suffix)")
        #expect(try bench.run(["fs", "cp", file, ":"] + kind.unit).status == 0)
        let flash = ["flash", "--only", "scripts"] + kind.unit
        let dry = try bench.run(flash + ["--dry-run"])
        #expect(dry.errors.contains("(kept in \(bench.state.path)/kept/"), "\(dry.errors)")
        #expect(try bench.run(["restore", "--list"]).output == "nothing is kept\n")
        #expect(try bench.run(flash).status == 0)
        let release = try Data(contentsOf: main)
        #expect(release != Data(own.utf8))
        let back = try bench.run(["restore"] + kind.unit)
        #expect(back.status == 0 && back.output.contains("main.\(kind.suffix) is back"), "\(back)")
        #expect(try Data(contentsOf: main) == Data(own.utf8))
        #expect(try bench.run(["restore"] + kind.unit).status == 0)
        #expect(try Data(contentsOf: main) == release)
        #expect(try bench.run(["restore", "20200101T000000Z"] + kind.unit).status == 64)
        #expect(try bench.run(flash + ["--no-keep", "--force"]).status == 0)
    }

    /// A program that prints for ever is no failure where that is said.
    @Test func aProgramThatTicksIsFlashed() throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        let folder = try Self.write("import time\nwhile True:\n    print('tick')\n    time.sleep(0.2)\n", "mine/main.py", bench)
        let flash = ["flash", "--only", "scripts", "--scripts", URL(fileURLWithPath: folder).deletingLastPathComponent().path]
            + Kind.monocle.unit
        #expect(try bench.run(flash).status == 1)
        let run = try bench.run(flash + ["--no-wait", "--force"])
        #expect(run.status == 0 && run.errors.contains("nothing proves that it lives"), "\(run.errors)")
        let logs = try bench.run(["logs", "--for", "1s"] + Kind.monocle.unit)
        #expect(logs.status == 0 && logs.output.contains("  tick\n"), "\(logs)")
    }

    @Test func standardInputIsAFile() throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        let python = try bench.run(
            ["console"] + Kind.monocle.unit, input: "d = {\n 'a': 1,\n\n 'b': 2}\nif len(d) == 3: print('no')\nelse:\n  print('yes')\nd\n")
        #expect(python.status == 0 && python.output == "yes\n{'a': 1, 'b': 2}\n", "\(python)")
        let lua = try bench.run(["console"] + Kind.frame.unit, input: "local x = 20\nlocal y = x + 1\nprint(x + y + 1)\n")
        #expect(lua.status == 0 && lua.output == "42\n", "\(lua)")
    }
}
