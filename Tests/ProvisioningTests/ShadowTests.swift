import Bluetooth
import Foundation
import Provisioning
import REPL
import ScriptBundle
import Support
import TestSupport
import Testing
import VirtualDevices

/// Files of a unit that would run, or prove, in the place of what was installed.
@Suite(.enabled(if: TestTools.mayRunMicroPython, "MicroPython is missing: run Tools/setup tests"), .serialized)
struct ShadowTests {
    private func files(_ bench: Bench) -> URL { bench.root.appendingPathComponent("files") }

    private func write(_ text: String, to path: String, in bench: Bench) throws {
        let file = files(bench).appendingPathComponent(path)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    /// Each beats what it is called after: a folder a script, a file a built-in or a frozen module.
    @Test(arguments: ["states/__init__.py", "hashlib.py", "os.py", "binascii.py", "bluetooth.mpy", "display.py", "time/__init__.py"])
    func whatTakesTheirPlaceFailsTheUnit(path: String) async throws {
        let bench = try await DriftTests.provisioned()
        defer { bench.remove() }
        try write("def sha256(b=b''):\n  raise SystemExit\n", to: path, in: bench)
        // Folders hold folders.
        if path.contains("/") { try write("x", to: path.split(separator: "/")[0] + "/sub/deep/a.txt", in: bench) }
        let name = path.contains("/") ? path.split(separator: "/")[0] + "/" : path[...]
        let assets = try Bench.assets()
        #expect(try await bench.verify(assets, isDeep: false).passed, "versions alone do not show it")
        let look = try await bench.verify(assets)
        #expect(!look.passed)
        #expect(look.findings[.scripts]?.differences == ["\(name) hides a script or module"], "\(look)")
        #expect(look.findings[.fpga]?.matches == true, "what proves finds the firmware's own modules: \(look)")
        let report = try await bench.flash(assets)
        #expect(report.error?.code == "SCR-0015" && report.error?.message.hasSuffix(": \(name)") == true, "\(report)")
        #expect(report.recoveries.isEmpty)
        // What the remedy says leads to a whole unit.
        let removal = ShadowRemoval.code(for: look.findings[.scripts]?.shadows ?? [])
        #expect(report.error?.remedy.contains(removal) == true)
        try await bench.play { central, monocle in
            let connection = try await central.connect(to: monocle.address, deadline: central.clock.deadline(in: .seconds(20)))
            try await PythonREPL.visit(connection, clock: central.clock, within: .seconds(10)) { repl in
                _ = try await repl.runText(removal, within: .seconds(5))
            }
        }
        #expect(try await bench.flash(assets).passed)
        #expect(try await bench.verify(assets).passed)
    }

    /// People keep their own files on a unit: they are told, and stay.
    @Test func otherFilesAreToldAndLeftAlone() async throws {
        let bench = try await DriftTests.provisioned()
        defer { bench.remove() }
        try write("", to: "no\u{1B}[2Jtes.txt", in: bench)
        try write("", to: "songs/states.py", in: bench)
        try write("x = 1\n", to: "mine.py", in: bench)
        try write("half", to: "photo.py.new", in: bench)
        let assets = try Bench.assets()
        let look = try await bench.verify(assets)
        #expect(look.passed)
        #expect(look.findings[.scripts]?.extras.sorted() == [
            "mine.py is not part of the set", "no\\u{1b}[2Jtes.txt is not part of the set", "photo.py.new is not part of the set",
            "songs/ is not part of the set",
        ], "\(look)")
        let journal = Journal()
        #expect(try await bench.flash(assets) { journal.add($0) }.passed)
        #expect(journal.text.contains { $0.hasPrefix("notice left alone on the unit: ") && $0.contains("songs/") }, "\(journal.text)")
        for name in ["mine.py", "photo.py.new"] {
            #expect(FileManager.default.fileExists(atPath: files(bench).appendingPathComponent(name).path), "\(name)")
        }
    }

    /// A program that goes into a folder where the right scripts lie is not what was installed.
    @Test func theRootIsLookedAtWhereverTheProgramIs() async throws {
        let bench = try await DriftTests.provisioned()
        defer { bench.remove() }
        for name in ["main.py", "states.py"] {
            let good = try String(contentsOf: files(bench).appendingPathComponent(name), encoding: .utf8)
            try write(good, to: "good/\(name)", in: bench)
        }
        let assets = try Bench.assets()
        try write("ARGPT_VERSION=\"another\"\nimport os,time\nos.chdir('good')\nwhile True:\n  time.sleep(1)\n", to: "main.py", in: bench)
        #expect(try await bench.verify(assets, isDeep: false).findings[.scripts]?.actual == "another")
        let look = try await bench.verify(assets)
        #expect(look.findings[.scripts]?.differences.first?.hasPrefix("main.py") == true, "\(look)")
        let report = try await bench.flash(assets)
        #expect(report.steps.last?.action == .updated, "\(report)")
        #expect(try await bench.verify(assets).passed)
    }
}
