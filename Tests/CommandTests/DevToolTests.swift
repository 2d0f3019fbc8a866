import Foundation
import Glibc
import TestSupport
import Testing
@testable import noafw

/// `noafw dev` as somebody uses it who writes a program: the built tool, an editor's saves, a virtual unit.
@Suite(
    .enabled(if: TestTools.mayRunMicroPython && TestTools.mayRunFrameLua, "the interpreters are missing: run Tools/setup tests"),
    .serialized)
struct DevToolTests {
    private static func main(_ kind: OwnerToolTests.Kind, word: String) -> String {
        kind == .monocle
            ? "import time\nimport words\nprint('\(word)', words.NUMBER)\nwhile True:\n    time.sleep_ms(50)\n"
            : "require('words')\nprint('\(word) ' .. NUMBER)\nwhile true do frame.sleep(0.05) end\n"
    }

    /// As editors do: a new file takes the name of the old one.
    private static func save(_ text: String, _ name: String, in folder: URL) throws {
        let (file, copy) = (folder.appendingPathComponent(name), folder.appendingPathComponent(name + "~"))
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: copy)
        guard rename(copy.path, file.path) == 0 else { throw TerminalTool.Silent(description: String(cString: strerror(errno))) }
    }

    @Test(arguments: OwnerToolTests.Kind.allCases) func eachSaveIsFollowed(kind: OwnerToolTests.Kind) throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        let folder = bench.state.appendingPathComponent("program")
        let (main, words) = ("main.\(kind.suffix)", "words.\(kind.suffix)")
        try Self.save(Self.main(kind, word: "round"), main, in: folder)
        try Self.save("NUMBER = 0\n", words, in: folder)
        try Self.save("x", "notes.txt", in: folder)
        try Self.save("x", ".git/objects/none", in: folder)
        let tool = try TerminalTool(
            ["dev", folder.path, "--virtual", kind.rawValue, "--virtual-speed", "4"], environment: bench.environment())
        try tool.waitFor("round 0")
        try Self.save("NUMBER = 1\n", words, in: folder)
        try tool.waitFor("round 1")
        // A file that is removed, and a folder that comes.
        try FileManager.default.removeItem(at: folder.appendingPathComponent("notes.txt"))
        try tool.waitFor("removal of notes.txt")
        try tool.waitFor("round 1")
        try Self.save("DEPTH = 7\n", "lib/deep/depth.\(kind.suffix)", in: folder)
        try tool.waitFor("lib/deep/depth.\(kind.suffix)")
        try tool.waitFor("round 1")
        // A mistake is shown with its file, and its mend runs.
        try Self.save("NUMBER = = 2\n", words, in: folder)
        try tool.waitFor(kind == .monocle ? "SyntaxError" : "words.lua")
        try tool.waitFor("the program has ended")
        try Self.save("NUMBER = 3\n", words, in: folder)
        try tool.waitFor("round 3")
        // A program that prints without an end, and does not pause.
        try Self.save(kind == .monocle ? "while True:\n    print('flood')\n" : "while true do print('flood') end\n", main, in: folder)
        try tool.waitFor("flood")
        // One save while another goes over: the last one counts.
        try Self.save("NUMBER = 4 -- \n".replacing("-- ", with: kind == .monocle ? "# " : "-- "), words, in: folder)
        try Self.save(Self.main(kind, word: "last"), main, in: folder)
        Thread.sleep(forTimeInterval: 0.25)
        try Self.save("NUMBER = 5\n", words, in: folder)
        try tool.waitFor("last 5")
        tool.signal(SIGINT)
        #expect(tool.wait().status == 0, "\(tool.screen)")
        let files = kind.files(bench)
        for name in [main, words, "lib/deep/depth.\(kind.suffix)"] {
            #expect(try Data(contentsOf: files.appendingPathComponent(name)) == Data(contentsOf: folder.appendingPathComponent(name)))
        }
        #expect(!FileManager.default.fileExists(atPath: files.appendingPathComponent("notes.txt").path))
        #expect(!FileManager.default.fileExists(atPath: files.appendingPathComponent(".git").path))
    }

    /// The globals of the program before are not those of the next one.
    @Test func aGlobalThatIsGoneIsGone() throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        let folder = bench.state.appendingPathComponent("program")
        try Self.save("LEFT = 1\nstring.mine = 1\nprint('first ' .. tostring(LEFT))\n", "main.lua", in: folder)
        let tool = try TerminalTool(
            ["dev", folder.path, "--virtual", "frame", "--virtual-speed", "4"], environment: bench.environment())
        try tool.waitFor("first 1")
        try tool.waitFor("the program has ended")
        try Self.save("print('second ' .. tostring(LEFT) .. ' ' .. type(frame) .. type(require))\n", "main.lua", in: folder)
        try tool.waitFor("second nil tablefunction")
        tool.signal(SIGINT)
        #expect(tool.wait().status == 0)
    }

    @Test func aFolderIsSeenWithoutWhatIsHidden() throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        let place = bench.state.appendingPathComponent("program")
        for name in ["main.py", "lib/a.py", ".hidden", ".git/b.py", "old.py~", "__pycache__/main.pyc"] {
            let file = place.appendingPathComponent(name)
            try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(name.utf8).write(to: file)
        }
        let folder = WatchedFolder(NamedPath("program", in: bench.state.path))
        let (first, snapshot) = try folder.look(after: [:])
        #expect(first.saved.map { $0.parts.joined(separator: "/") } == ["lib/a.py", "main.py"] && first.removed.isEmpty)
        #expect(try folder.look(after: snapshot).0.isEmpty)
        try Data("longer".utf8).write(to: place.appendingPathComponent("main.py"))
        try FileManager.default.removeItem(at: place.appendingPathComponent("lib"))
        let (second, now) = try folder.look(after: snapshot)
        #expect(second.saved.map(\.parts) == [["main.py"]] && second.removed == [["lib", "a.py"]] && now.count == 1)
    }
}
