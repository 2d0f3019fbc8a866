import Foundation
import MonocleFamily
import Provisioning
import REPL
import Support
import TestSupport
import Testing
import VirtualDevices

/// Programs that do not let a host in: a verification says what helps, a flash does it.
@Suite(.enabled(if: TestTools.mayRunMicroPython, "MicroPython is missing: run Tools/setup tests"), .serialized)
struct HostileMonocleTests {
    @Test(arguments: [
        ("import time\nwhile True:\n  try:\n    time.sleep(1)\n  except KeyboardInterrupt:\n    pass", "REPL-0001"),
        ("import device\nwhile True:\n  try:\n    device.reset()\n  except KeyboardInterrupt:\n    pass", "REPL-0001"),
        // From its first instruction, and without a way in.
        ("import device\ndevice.reset()", nil),
        ("import device,micropython\nmicropython.kbd_intr(-1)\ndevice.reset()", nil),
        ("import micropython\nmicropython.kbd_intr(-1)\nwhile True: pass", "REPL-0001"),
        ("import sys,time\nclass D: pass\nsys.modules['device']=D\nwhile True: time.sleep(1)", "REPL-0009"),
        ("import sys,time\nclass D: VERSION='x'\nsys.modules['device']=D\nwhile True: time.sleep(1)", "REPL-0009"),
    ])
    func aProgramIsPassedByOrTheAdviceIsTrue(main: String, code: String?) async throws {
        let bench = try await DriftTests.provisioned()
        defer { bench.remove() }
        let assets = try Bench.assets()
        try Data(main.utf8).write(to: bench.root.appendingPathComponent("files/main.py"))
        let proof = try await bench.verify(assets)
        #expect(proof.error?.code == code, "\(String(describing: proof.error))")
        if let error = proof.error { #expect(error.category == .unitFailed && error.remedy.contains("noafw flash --only scripts")) }
        var options = JobOptions()
        options.components = [.scripts]
        let report = try await bench.flash(assets, options: options)
        #expect(report.passed, "\(String(describing: report.error))")
        #expect(try await bench.verify(assets).passed)
    }

    /// Whoever asks lets a unit run that does not answer.
    @Test func noQuestionRestartsAUnit() async throws {
        let bench = try await DriftTests.provisioned()
        defer { bench.remove() }
        let stubborn = "import micropython\nmicropython.kbd_intr(-1)\nwhile True: pass"
        try Data(stubborn.utf8).write(to: bench.root.appendingPathComponent("files/main.py"))
        let assets = try Bench.assets()
        let journal = Journal()
        try await bench.play { central, unit in
            let (family, address) = (bench.kind.family, unit.address)
            let info = try IdentifyJob(family: family, central: central, address: address)
            await #expect(throws: REPLError.noPrompt) { _ = try await info.run { journal.add($0) } }
            let visit = try UnitVisit(family: family, central: central, address: address) { journal.note($0) }
            await #expect(throws: REPLError.noPrompt) { try await visit.run { _ in } }
            let verification = try VerifyJob(family: family, central: central, address: address, assets: assets, isDeep: true)
            #expect(try await verification.run { journal.add($0) }.error?.code == "REPL-0001")
        }
        #expect(journal.text.contains { $0.contains(Remedy.reconnect.words) }, "\(journal.text)")
        #expect(!journal.text.contains { $0.contains(Remedy.safeMode.words) }, "\(journal.text)")
        #expect(journal.text.last { $0.hasPrefix("stage ") } == "stage probe" && journal.text.contains("stage connect"))
    }
}
