import Foundation
import REPL
import Support
import TestSupport
import Testing

@testable import ScriptBundle

@Suite struct ShadowNameTests {
    private let shadow: ModuleShadow

    init() throws {
        shadow = ModuleShadow(for: try ScriptSet(files: [
            .init(name: "states.py", bytes: Array("from helpers import a, b\nx = \"notes\"\n".utf8)),
            .init(name: "main.py", bytes: Array("try:\n  import states,extra as e\nexcept ImportError: pass\n".utf8)),
        ]))
    }

    @Test(arguments: [
        "states/", "states.mpy", "states.py/", "main/", "os.py", "hashlib/", "update.py", "display.mpy", "helpers.py", "helpers/",
        "extra.py"
    ])
    func hides(name: String) { #expect(shadow.hides(name)) }

    @Test(arguments: ["os", "os.txt", "notes.py", "notes/", "states.py.new", "songs/", ".py", "x.py", "states"])
    func doesNot(name: String) { #expect(!shadow.hides(name)) }

    /// The list is the firmware's.
    @Test func theModulesAreThoseOfTheFacts() throws {
        struct Facts: Decodable { var importable: String }
        let file = TestTools.root.appendingPathComponent("Tests/Facts/monocle-firmware-modules.json")
        let facts = try JSONDecoder().decode(Facts.self, from: try Data(contentsOf: file))
        #expect(ModuleShadow.firmwareModules == Set(facts.importable.split(separator: " ").map(String.init)))
    }
}

/// Numbers that a unit answers with a good check, and that are none of a file system's.
@Suite(.enabled(if: TestTools.mayRunMicroPython, "MicroPython is missing: run Tools/setup tests"), .serialized)
struct HostileNumberTests {
    private func helper(answering answer: String, to method: String) async throws -> (ScriptHelper, MicroPythonHost) {
        let host = try MicroPythonHost(folder: try makeUnitFolder())
        let repl = try await PythonREPL.attach(to: host, clock: .continuous, within: .seconds(20))
        let helper = ScriptHelper(repl: repl)
        try await helper.session.ensure()
        _ = try await repl.runText("_ns.\(method)=lambda *a:_ns.say('\(answer)')", within: .seconds(20))
        return (helper, host)
    }

    @Test(arguments: [
        "9223372036854775807 9223372036854775807 0", "4096 9223372036854775807 0", "4096 -1 0", "0 4096 0", "-4096 4096 0", "4096 4096",
        "4096 1 2 3",
        "99999999999999999999999999999999999999999 1 2", "4096 4096 -1", "4096 4096 9223372036854775807", "x y z",
    ])
    func freeSpace(answer: String) async throws {
        let (helper, host) = try await helper(answering: answer, to: "free")
        defer { host.endAndRemove() }
        await #expect(throws: REPLError.garbage("the free space")) { _ = try await helper.namesAndSpace() }
    }

    @Test(arguments: ["9223372036854775807", "-9223372036854775808", "-2", "16777217", "1e3"])
    func positionsAndSizes(number: String) async throws {
        let (helper, host) = try await helper(answering: number, to: "on")
        defer { host.endAndRemove() }
        let file = ScriptSet.File(name: "main.py", bytes: [])
        await #expect(throws: REPLError.garbage("a position")) { _ = try await helper.position(of: file) }
        _ = try await helper.session.repl.runText(
            "_ns.sha=lambda p,e:_ns.say('\(String(repeating: "ab", count: 32)):\(number)')", within: .seconds(20))
        await #expect(throws: REPLError.garbage("a file's digest")) { _ = try await helper.file(file) }
    }

    @Test func anOpenCopyWithoutBytesIsOne() throws {
        #expect(try ScriptHelper.position(from: "0") == 0)
        #expect(try ScriptHelper.position(from: "-1") == nil)
    }

    /// The line is pasted at the unit's prompt: a name is a name there, whatever it holds.
    @Test func aRemovalTakesNamesForNames() {
        #expect(ShadowRemoval.code(for: ["os.py", "states/"])
            == "import uos; rm=lambda p:([rm(p+'/'+f)for f in uos.listdir(p)],uos.rmdir(p))if uos.stat(p)[0]&0x4000 else uos.remove(p); "
            + "uos.remove('os.py'); rm('states')")
        #expect(ShadowRemoval.code(for: ["a');evil('.py"]) == "import uos; uos.remove('a\\');evil(\\'.py')")
        #expect(ShadowRemoval.code(for: ["\\é.py"]) == "import uos; uos.remove('\\\\\\U000000e9.py')")
    }
}
