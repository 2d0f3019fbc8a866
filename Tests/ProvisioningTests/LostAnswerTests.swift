import Bluetooth
import Provisioning
import TestSupport
import Testing
import VirtualDevices

/// One lost notification costs seconds, and never a verdict.
@Suite(.enabled(if: TestTools.mayRunMicroPython, "MicroPython is missing: run Tools/setup tests"), .serialized)
struct LostAnswerTests {
    private static let anywhere = TestRange.isFull ? Array(1...120) : Array(stride(from: 1, through: 120, by: 7))

    /// A look at a unit that is current, from its sighting to its program's sign.
    private func run(on bench: Bench, losing notification: Int?) async throws -> (report: UnitReport, time: Duration, log: [String]) {
        var bench = bench
        if let notification { bench.faults.lostNotifications = [notification] }
        let assets = try Bench.assets()
        let journal = Journal()
        return try await bench.play { central, monocle in
            let start = central.clock.now
            let report = try await MonocleRun(central: central, address: monocle.address, assets: assets, options: FlashOptions())
                .flash { journal.add($0) }
            return (report, start.duration(to: central.clock.now), journal.text)
        }
    }

    @Test func oneLostAnswerAnywhereIsAskedForAgain() async throws {
        let bench = try await DriftTests.provisioned()
        defer { bench.remove() }
        let usual = try await run(on: bench, losing: nil)
        #expect(usual.report.recoveries.isEmpty)
        for notification in Self.anywhere {
            let (report, time, log) = try await run(on: bench, losing: notification)
            #expect(report.passed, "\(notification): \(String(describing: report.error)) \(log)")
            #expect(report.recoveries.count <= 1, "\(notification): \(log)")
            #expect(report.recoveries.allSatisfy { $0.remedy == .interrupt }, "\(notification): \(log)")
            #expect(time < usual.time + .seconds(10), "\(notification): \(time) \(log)")
        }
    }
}
