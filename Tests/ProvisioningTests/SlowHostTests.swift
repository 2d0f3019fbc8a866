import Bluetooth
import Foundation
import MonocleFamily
import Provisioning
import Support
import TestSupport
import Testing
import VirtualDevices

/// A unit's time knows nothing of the host's: however late its interpreter is, everything happens at the same moment.
@Suite(.enabled(if: TestTools.mayRunMicroPython, "MicroPython is missing: run Tools/setup tests"), .serialized)
struct SlowHostTests {
    private struct Course: Equatable {
        var events: [String]
        var steps: [StepReport]
        var end: Duration
    }

    /// An old unit is flashed; what happened, and when.
    private func course(delayedBy seconds: Double?) async throws -> Course {
        var bench = Bench()
        defer { bench.remove() }
        let folder = try TemporaryFolder()
        if let seconds {
            let python = try TestTools.require(TestTools.python, "the Python of .venv")
            let slow = try folder.write("#!/bin/sh\nsleep \(seconds)\nexec '\(python)' \"$@\"\n", to: "slow")
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: slow)
            bench.python = slow
        }
        let journal = Journal()
        let assets = try Bench.assets()
        return try await bench.play { central, monocle in
            let report = try await ProvisioningJob(
                family: .monocle, central: central, address: monocle.address, assets: assets, options: JobOptions()
            )
                .run { journal.note("\(central.clock.now.offset) \($0.words ?? "progress")") }
            #expect(report.passed, "\(String(describing: report.error))")
            return Course(events: journal.text, steps: report.steps, end: central.clock.now.offset)
        }
    }

    @Test func aSlowInterpreterChangesNothing() async throws {
        let courses = try await SessionRandom.$source.withValue(.init { 0x6E6F_6166_77 }) {
            [try await course(delayedBy: nil), try await course(delayedBy: 0.7)]
        }
        let parting = zip(courses[0].events, courses[1].events).first { $0 != $1 }
        let isSame = courses[1] == courses[0]
        #expect(isSame, "they part at \(parting.map { "\($0) | \($1)" } ?? "the end")")
    }
}
