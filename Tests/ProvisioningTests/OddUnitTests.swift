import Bluetooth
import Cryptography
import Foundation
import MonocleFamily
import Provisioning
import REPL
import ScriptBundle
import Support
import TestSupport
import Testing
import VirtualDevices

/// Units whose programs do what no program of ours does.
@Suite(.enabled(if: TestTools.mayRunMicroPython, "MicroPython is missing: run Tools/setup tests"), .serialized)
struct OddUnitTests {
    struct Case: Sendable {
        var program: String
        /// What the run needs beside interrupts: the program comes back with the new firmware, but not after the FPGA image.
        var remedies: [Remedy] = []
    }

    @Test(arguments: [
        // Prints what looks like answers, without end.
        Case(program: "while True: print('OK\\x04\\x04>raw REPL; CTRL-B to exit\\r\\n>' * 9)"),
        // Bytes that are no text.
        Case(program: "import sys\nwhile True: sys.stdout.write(bytes(range(256)))"),
        // Does not let itself be interrupted: only safe mode gets past it.
        Case(
            program: "import time\nwhile True:\n  try:\n    time.sleep(1)\n  except KeyboardInterrupt:\n    pass",
            remedies: [.safeMode, .safeMode]),
        // Has eaten the heap, and does so again at every start.
        Case(
            program:
                "import time\nhoard = []\ntry:\n  while True: hoard.append(bytes(512))\nexcept MemoryError:\n  pass\nwhile True: "
                    + "time.sleep(1)",
            remedies: [.safeMode, .safeMode]),
        Case(program: "def ("),
    ])
    func anyProgramIsReplaced(given: Case) async throws {
        let bench = Bench()
        defer { bench.remove() }
        let folder = try UnitFolder.monocle(root: bench.root, name: "bench")
        try Data(given.program.utf8).write(to: folder.root.appendingPathComponent("files/main.py"))
        let assets = try Bench.assets()
        let journal = Journal()
        let report = try await bench.flash(assets) { journal.add($0) }
        #expect(report.passed, "\(String(describing: report.error)) \(journal.text)")
        #expect(report.recoveries.map(\.remedy) == given.remedies, "\(journal.text)")
        let proof = try await bench.verify(assets)
        #expect(proof.passed, "\(proof)")
    }
}

/// A unit whose program answers for its own digest.
@Suite(.enabled(if: TestTools.mayRunMicroPython, "MicroPython is missing: run Tools/setup tests"), .serialized)
struct LyingProgramTests {
    /// Gives its own file another digest, through what hashes files.
    private static func liar(_ setting: String, claiming digest: [UInt8]) -> String {
        """
        import uhashlib,sys,time
        class L:
          def __init__(s,d=b''): s.h=uhashlib.sha256(d);s.d=d
          def update(s,d): s.h.update(d);s.d=s.d or d
          def digest(s):
            d=s.h.digest()
            return bytes([\(digest.map { "\($0)" }.joined(separator: ","))]) if b'class L' in s.d else d
        class M:
          sha256=L
        own=__import__
        def __import__(n,*a): return M if n.endswith('hashlib') else own(n,*a)
        \(setting)
        while True: time.sleep(1)
        #
        """
    }

    /// - isFound: the verification, which leaves the unit's program its say, tells the lie.
    @Test(arguments: [
        (setting: "", isFound: true),
        // Keeps its globals, too.
        ("class B: hasattr=lambda b,k:0;list=list;print=print;globals=globals;MemoryError=MemoryError\nsys.modules['builtins']=B", false),
    ])
    func forceDoesNotAskIt(setting: String, isFound: Bool) async throws {
        let bench = Bench()
        defer { bench.remove() }
        let right = "import time\nwhile True: time.sleep(1)\n#"
        let length = Self.liar(setting, claiming: Array(repeating: 255, count: 32)).utf8.count
        let scripts = try ScriptSet(
            files: [.init(name: "main.py", bytes: Array((right + String(repeating: "r", count: max(0, length - right.utf8.count))).utf8))])
        let assets = AssetSet(scripts)
        #expect(try await bench.flash(assets).passed)
        let installed = try #require(scripts.installed.last)
        let head = installed.bytes.prefix { $0 != 0x0A } + [0x0A]
        var foreign = Array(head) + Array(Self.liar(setting, claiming: SHA256.of(installed.bytes)).utf8)
        foreign += Array(repeating: UInt8(ascii: "l"), count: installed.bytes.count - foreign.count)
        let file = try UnitFolder.monocle(root: bench.root, name: "bench").root.appendingPathComponent("files/main.py")
        try Data(foreign).write(to: file)
        // What stands where an upload goes, and is not sent again where its digest is right.
        let copy = file.deletingLastPathComponent().appendingPathComponent("main.py" + ScriptSet.copySuffix)
        try Data(foreign).write(to: copy)

        let look = try await bench.verify(assets)
        #expect(look.passed != isFound, "\(look)")
        var options = JobOptions()
        options.force = true
        let cured = try await bench.flash(assets, options: options)
        #expect(cured.passed && cured.recoveries.isEmpty, "\(cured)")
        #expect(Array(try Data(contentsOf: file)) == installed.bytes)
    }
}

/// A unit whose FPGA was left stopped by an update that did not end.
@Suite(.enabled(if: TestTools.mayRunMicroPython, "MicroPython is missing: run Tools/setup tests"), .serialized)
struct StoppedFPGATests {
    @Test(arguments: [Set<Component>([.scripts]), Set(TestFamilies.all.components)])
    func theNextRunEndsItWithAChipReset(parts: Set<Component>) async throws {
        let bench = try await DriftTests.provisioned()
        defer { bench.remove() }
        let assets = try Bench.assets()
        let journal = Journal()
        try await bench.play { central, monocle in
            let clock = central.clock
            let connection = try await central.connect(to: monocle.address, deadline: clock.deadline(in: .seconds(10)))
            let repl = try await PythonREPL.attach(to: connection, clock: clock, within: .seconds(10))
            _ = try await repl.runText("import fpga;fpga.run(False)", within: .seconds(5))
            await connection.disconnect()
            let look = try await VerifyJob(family: .monocle, central: central, address: monocle.address, assets: assets, isDeep: false)
                .run { _ in }
            #expect(look.findings[.fpga]?.differences.first?.hasPrefix("the FPGA is stopped") == true, "\(look)")
            var options = JobOptions()
            options.components = parts
            let report = try await ProvisioningJob(
                family: .monocle, central: central, address: monocle.address, assets: assets, options: options
            )
                .run { journal.add($0) }
            #expect(report.passed, "\(report)")
            #expect(report.steps.first { $0.component == .fpga }?.action == (parts.contains(.fpga) ? .updated : .skipped))
            let proof = try await VerifyJob(family: .monocle, central: central, address: monocle.address, assets: assets, isDeep: true)
                .run { _ in }
            #expect(proof.passed, "\(proof)")
        }
        #expect(!journal.text.contains("stage erase"))
    }
}
