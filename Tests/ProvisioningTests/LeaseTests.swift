import Bluetooth
import MonocleFamily
import REPL
import Support
import TestSupport
import Testing
import VirtualDevices

@testable import Provisioning

struct RestoreGuardTests {
    /// A program is started again by whom it was stopped, and not on half of what it needs.
    @Test func onlyAStoppedProgramThatIsWholeIsOwed() {
        let guarded = RestoreGuard()
        #expect(!guarded.owesStart && !guarded.hasLeftOut)
        guarded.interrupted()
        #expect(guarded.owesStart && !guarded.hasLeftOut)
        guarded.beginChanging(.scripts)
        guarded.beginChanging(.fpga)
        guarded.endChanging(.scripts)
        #expect(!guarded.owesStart)
        guarded.endChanging(.fpga)
        #expect(guarded.owesStart)
        guarded.started()
        #expect(!guarded.owesStart)
        guarded.leavesOut()
        #expect(guarded.owesStart && guarded.hasLeftOut)
        guarded.started()
        #expect(!guarded.owesStart && !guarded.hasLeftOut)
    }
}

/// What a unit said of itself holds until something happens to it.
@Suite(.enabled(if: TestTools.mayRunMicroPython, "MicroPython is missing: run Tools/setup tests"), .serialized)
struct LeaseTests {
    private static func rewrite(_ unit: UnitLease, _ version: String) async throws {
        let code = "with open('main.py','w') as _f: _f.write('ARGPT_VERSION=\"\(version)\"\\n')"
        _ = try await unit.python().repl.runText(code, within: .seconds(5))
    }

    private func hold(_ body: @escaping @Sendable (UnitLease) async throws -> Void) async throws {
        let bench = try await DriftTests.provisioned()
        defer { bench.remove() }
        try await bench.play { central, unit in
            let lease = UnitLease(try UnitLocator(central: central, family: .monocle, address: unit.address))
            try await Self.rewrite(lease, "first")
            #expect(try await lease.version(of: .scripts) == "first")
            try await Self.rewrite(lease, "second")
            #expect(try await lease.version(of: .scripts) == "first", "it is asked once")
            try await body(lease)
            await lease.end()
        }
    }

    @Test(arguments: [Remedy.interrupt, .softReset, .safeMode, .reconnect]) func nothingOldIsBelievedAfterARemedy(
        remedy: Remedy
    ) async throws {
        try await hold { lease in
            try await lease.apply(remedy)
            #expect(try await lease.version(of: .scripts) == "second")
        }
    }

    @Test func nothingOldIsBelievedAfterARestart() async throws {
        try await hold { lease in
            try await lease.reboot(into: .application)
            #expect(try await lease.version(of: .scripts) == "second")
        }
    }

    /// A component that was changed is asked anew, and it alone.
    @Test func aChangedComponentIsAskedAnew() async throws {
        try await hold { (lease) async throws in
            lease.forget(.firmware)
            #expect(try await lease.version(of: .scripts) == "first")
            lease.forget(.scripts)
            #expect(try await lease.version(of: .scripts) == "second")
        }
    }

    /// One that was linked went to sleep; one that was not may be anywhere.
    @Test func whoWasThereHasGone() async throws {
        try await hold { lease in
            await lease.end()
            #expect(lease.absence() == .unitGone(lease.address))
            #expect(UnitLease(lease.locator).absence() == .unitNotFound(lease.address))
        }
    }

    /// A remedy keeps the link where it is what the remedy works on, and ends it where it is what is broken.
    @Test func aRemedyKeepsOrEndsTheLink() async throws {
        try await hold { lease in
            try await lease.apply(.interrupt)
            #expect(lease.hasLink)
            try await lease.apply(.softReset)
            #expect(lease.hasLink)
            try await lease.apply(.reconnect)
            #expect(!lease.hasLink)
            try await lease.apply(.interrupt)
            #expect(!lease.hasLink)
        }
    }
}
