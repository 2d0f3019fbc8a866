import Bluetooth
import Foundation
import Provisioning
import TestSupport
import Testing
import VirtualDevices

/// Units whose programs do what no program of ours does.
@Suite(.enabled(if: TestTools.mayRunMicroPython, "MicroPython is missing: run Tools/setup tests"), .serialized)
struct OddUnitTests {
    @Test(arguments: [
        // Prints what looks like answers, without end.
        "while True: print('OK\\x04\\x04>raw REPL; CTRL-B to exit\\r\\n>' * 9)",
        // Bytes that are no text.
        "import sys\nwhile True: sys.stdout.write(bytes(range(256)))",
        // Does not let itself be interrupted: only safe mode gets past it.
        "import time\nwhile True:\n  try:\n    time.sleep(1)\n  except KeyboardInterrupt:\n    pass",
        // Has eaten the heap.
        "import time\nhoard = []\ntry:\n  while True: hoard.append(bytes(512))\nexcept MemoryError:\n  pass\nwhile True: time.sleep(1)",
        "def (",
    ])
    func anyProgramIsReplaced(program: String) async throws {
        let bench = Bench()
        defer { bench.remove() }
        let folder = try UnitFolder(root: bench.root, name: "bench")
        try Data(program.utf8).write(to: folder.root.appendingPathComponent("files/main.py"))
        let assets = try Bench.assets()
        let journal = Journal()
        let report = try await bench.flash(assets) { journal.add($0) }
        #expect(report.passed, "\(String(describing: report.error)) \(journal.text)")
        let proof = try await bench.verify(assets)
        #expect(proof.passed, "\(proof)")
    }
}
