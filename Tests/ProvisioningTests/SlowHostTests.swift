import Bluetooth
import Foundation
import MonocleFamily
import Provisioning
import Support
import Synchronization
import TestSupport
import Testing
import VirtualDevices
import VirtualFaults

/// A unit's time knows nothing of the host's: however late its interpreter is, everything happens at the same moment.
@Suite(.enabled(if: TestTools.mayRunMicroPython, "MicroPython is missing: run Tools/setup tests"), .serialized)
struct SlowHostTests {
    private struct Course: Equatable {
        var events: [String]
        var steps: [StepReport]
        var end: Duration
    }

    private final class Watch: Sendable {
        let clock = Mutex<SessionClock?>(nil)
    }

    /// An old unit is flashed; what happened, and when.
    /// - Returns: with what went over the air, of which a signature is another each time.
    private func course(delayedBy seconds: Double?) async throws -> (course: Course, air: [String]) {
        var bench = Bench()
        defer { bench.remove() }
        let folder = try TemporaryFolder()
        if let seconds {
            let python = try TestTools.require(TestTools.python, "the Python of .venv")
            let slow = try folder.write("#!/bin/sh\nsleep \(seconds)\nexec '\(python)' \"$@\"\n", to: "slow")
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: slow)
            bench.python = slow
        }
        let (journal, air) = (Journal(), Journal())
        let watch = Watch()
        bench.faults.ear = { air.note("\(watch.clock.withLock { $0?.now.offset } ?? .zero) \($0)") }
        let assets = try Bench.assets()
        return try await bench.play { central, monocle in
            watch.clock.withLock { $0 = central.clock }
            let report = try await ProvisioningJob(
                family: .monocle, central: central, address: monocle.address, assets: assets, options: JobOptions()
            )
                .run { journal.note("\(central.clock.now.offset) \($0.words ?? "progress")") }
            #expect(report.passed, "\(String(describing: report.error))")
            return (Course(events: journal.text, steps: report.steps, end: central.clock.now.offset), air.text)
        }
    }

    @Test func aSlowInterpreterChangesNothing() async throws {
        let courses = try await SessionRandom.$source.withValue(.init { 0x6E6F_6166_77 }) {
            [try await course(delayedBy: nil), try await course(delayedBy: 0.7)]
        }
        func parting(_ lines: [[String]]) -> String { zip(lines[0], lines[1]).first { $0 != $1 }.map { "\($0) | \($1)" } ?? "the end" }
        let isSame = courses[1].course == courses[0].course
        #expect(isSame, "they part at \(parting(courses.map(\.course.events))), on the air at \(parting(courses.map(\.air)))")
    }
}
