import Bluetooth
import Foundation
import FrameFamily
import Provisioning
import ScriptBundle
import Support
import TestSupport
import Testing
import VirtualDevices

/// Whatever happens in between, running it again ends in a proved unit.
@Suite(.enabled(if: TestTools.mayRunFrameLua, "the virtual Frame's Lua is missing: run Tools/setup runtime"), .serialized)
struct FrameInterruptionTests {
    private static func assets() throws -> AssetSet { try FrameBench.assets(scripts: FrameBench.telling(padding: 3000)) }

    /// 25 runs with four cuts each: a hundred interruptions at packets spread over the whole job, link and power in turn.
    @Test(arguments: TestRange.of(Array(0..<25), quick: [0, 7, 12, 19]))
    func cutsAtAnyPacketAreRecovered(seed: Int) async throws {
        let total = try await FramePackets.ofAWholeRun.value()
        var generator = SeededGenerator(seed: UInt64(seed))
        var bench = FrameBench()
        defer { bench.remove() }
        for quarter in 0..<4 {
            let width = Double(total) / 100
            let packet = Int((Double(quarter * 25 + seed) + Double.random(in: 0..<1, using: &generator)) * width) + 1
            bench.faults.cuts[packet] = (quarter + seed).isMultiple(of: 2) ? .power : .link
        }
        try await Self.expectRecovery(bench, try Self.assets(), runs: 3)
    }

    /// Scripts alone: a cut at every few packets, from the first command to the program's start.
    @Test(arguments: TestRange.of(Array(0..<40), quick: [1, 6, 15, 22, 28, 33, 36, 38]), [FaultPlan.Cut.power, .link])
    func cutsInAnUploadAreRecovered(step: Int, cut: FaultPlan.Cut) async throws {
        let total = try await FramePackets.ofAnUpload.value()
        var bench = FrameBench()
        defer { bench.remove() }
        let old = AssetSet(scripts: try FrameBench.telling())
        #expect(try await bench.flash(old).passed)
        bench.faults.cuts[max(1, total * (step + 1) / 40)] = cut
        try await Self.expectRecovery(bench, AssetSet(scripts: try FrameBench.telling(padding: 3000)), runs: 2)
    }

    @Test(arguments: [0.01, 0.05]) func lossyAirIsSurvived(loss: Double) async throws {
        var bench = FrameBench()
        defer { bench.remove() }
        bench.faults.loss = loss
        bench.faults.seed = 11
        try await Self.expectRecovery(bench, AssetSet(scripts: try FrameBench.telling(padding: 3000)), runs: 4)
    }

    @Test(arguments: [2, 4, 6, 8]) func cancelledRunsAreContinued(event: Int) async throws {
        let bench = FrameBench()
        defer { bench.remove() }
        let assets = try Self.assets()
        let journal = Journal()
        await #expect(throws: CancellationError.self) {
            try await bench.play { central, unit in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    let (stop, clock) = (Inbox<Void>(), central.clock)
                    group.addTask {
                        _ = try await ProvisioningJob(family: .frame, central: central, address: unit.address, assets: assets, options: JobOptions())
                            .run {
                                journal.add($0)
                                if journal.text.count >= event { stop.deliver(()) }
                            }
                    }
                    _ = try await stop.next(before: clock.deadline(in: .seconds(600)), on: clock)
                    group.cancelAll()
                    try await group.waitForAll()
                }
            }
        }
        try await Self.expectRecovery(bench, assets, runs: 1)
    }

    static func expectRecovery(_ bench: FrameBench, _ assets: AssetSet, runs: Int) async throws {
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
        #expect(proof.passed && proof.findings[.scripts]?.extras.isEmpty == true, "\(proof) \(journal.text)")
    }
}

/// Measured once: how many packets a run takes.
private actor FramePackets {
    static let ofAWholeRun = FramePackets { try FrameBench.assets(scripts: FrameBench.telling(padding: 3000)) }
    static let ofAnUpload = FramePackets { AssetSet(scripts: try FrameBench.telling(padding: 3000)) }

    private let assets: @Sendable () throws -> AssetSet
    private var count: Int?

    init(_ assets: @escaping @Sendable () throws -> AssetSet) { self.assets = assets }

    func value() async throws -> Int {
        if let count { return count }
        let bench = FrameBench()
        defer { bench.remove() }
        let assets = try assets()
        let measured = try await bench.play { central, unit in
            let report = try await ProvisioningJob(
                family: .frame, central: central, address: unit.address, assets: assets, options: JobOptions()
            ).run { _ in }
            #expect(report.passed, "\(String(describing: report.error))")
            return unit.deliveredPackets
        }
        count = measured
        return measured
    }
}
