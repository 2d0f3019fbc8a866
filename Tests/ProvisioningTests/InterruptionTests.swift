import Bluetooth
import Foundation
import MonocleFamily
import Provisioning
import Support
import TestSupport
import Testing
import VirtualDevices

/// Whatever happens in between, running it again ends in a proved unit.
@Suite(.enabled(if: TestTools.mayRunMicroPython, "MicroPython is missing: run Tools/setup tests"), .serialized)
struct InterruptionTests {
    /// Runs with four cuts each: 64 interruptions at packets spread over the whole job, link and power in turn.
    /// The selection has both cuts in each quarter, and both sizes of firmware.
    @Test(arguments: TestRange.of(Array(0..<16), quick: [1, 3, 6, 8, 11, 14]))
    func cutsAtAnyPacketAreRecovered(seed: Int) async throws {
        let total = try await Self.packetsOfAWholeRun()
        var generator = SeededGenerator(seed: UInt64(seed))
        var bench = Bench()
        defer { bench.remove() }
        for quarter in 0..<4 {
            // Each seed takes another sixteenth of every quarter.
            let width = Double(total) / 64
            let start = Double(quarter * 16 + seed) * width
            let packet = Int(start + Double.random(in: 0..<width, using: &generator)) + 1
            bench.faults.cuts[packet] = (quarter + seed).isMultiple(of: 2) ? .power : .link
        }
        // Every fourth firmware is too large to stand beside the old one, which is then given up at once.
        try await Self.expectRecovery(bench, runs: 2, firmwareSize: seed % 4 == 3 ? 180_000 : 20_000)
    }

    @Test(arguments: [(0.01, 0.0, 0.0), (0.0, 0.004, 0.0), (0.0, 0.0, 0.02), (0.005, 0.002, 0.005)])
    func lossyAirIsSurvived(loss: Double, corruption: Double, delay: Double) async throws {
        var bench = Bench()
        defer { bench.remove() }
        bench.faults.loss = loss
        bench.faults.corruption = corruption
        bench.faults.delay = delay
        bench.faults.seed = 11
        try await Self.expectRecovery(bench, runs: 6)
    }

    /// Cancelling at any event is what Ctrl-C does; the unit dies with the process that plays it, as by SIGKILL.
    @Test(arguments: [3, 6, 8, 10, 12, 14])
    func cancelledRunsAreContinued(event: Int) async throws {
        let bench = Bench()
        defer { bench.remove() }
        let assets = try Bench.assets()
        let journal = Journal()
        await #expect(throws: CancellationError.self) {
            try await bench.play { central, monocle in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    let (stop, stopped) = (Inbox<Void>(), central.clock)
                    group.addTask {
                        _ = try await ProvisioningJob(family: .monocle, central: central, address: monocle.address, assets: assets, options: JobOptions()
                        ).run {
                            journal.add($0)
                            if journal.text.count >= event { stop.deliver(()) }
                        }
                    }
                    _ = try await stop.next(before: stopped.deadline(in: .seconds(600)), on: stopped)
                    group.cancelAll()
                    try await group.waitForAll()
                }
            }
        }
        try await Self.expectRecovery(bench, runs: 1)
    }

    private static func expectRecovery(_ bench: Bench, runs: Int, firmwareSize: Int = 20_000) async throws {
        let assets = try Bench.assets(firmwareSize: firmwareSize)
        let journal = Journal()
        var report = try await bench.flash(assets) { journal.add($0) }
        var calm = bench
        for run in 1..<max(2, runs) where !report.passed {
            if run == runs - 1 { calm.faults = FaultPlan() } else { calm.faults.seed += 1 }
            report = try await calm.flash(assets) { journal.add($0) }
        }
        #expect(report.passed, "\(String(describing: report.error)) \(journal.text)")
        calm.faults = FaultPlan()
        let proof = try await calm.verify(assets)
        #expect(proof.passed, "\(proof) \(journal.text)")
    }

    /// Measured once: what a whole run takes.
    private static func packetsOfAWholeRun() async throws -> Int { try await counter.value() }

    private static let counter = PacketCounter()
}

private actor PacketCounter {
    private var count: Int?

    func value() async throws -> Int {
        if let count { return count }
        let bench = Bench()
        defer { bench.remove() }
        let assets = try Bench.assets()
        let measured = try await bench.play { central, monocle in
            let run = try ProvisioningJob(family: .monocle, central: central, address: monocle.address, assets: assets, options: JobOptions())
            let report = try await run.run { _ in }
            #expect(report.passed, "\(String(describing: report.error))")
            return monocle.deliveredPackets
        }
        count = measured
        return measured
    }
}
