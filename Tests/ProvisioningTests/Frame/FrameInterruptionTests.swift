import Bluetooth
import Foundation
import FrameFamily
import Provisioning
import ScriptBundle
import Support
import TestSupport
import Testing
import VirtualDevices
import VirtualFaults

/// Whatever happens in between, running it again ends in a proved unit.
@Suite(.enabled(if: TestTools.mayRunFrameLua, "the virtual Frame's Lua is missing: run Tools/setup runtime"), .serialized)
struct FrameInterruptionTests {
    private static let packetsOfAWholeRun = PacketCount(.frame) { try FrameInterruptionTests.assets() }
    private static let packetsOfAnUpload = PacketCount(.frame) { AssetSet(try FrameInterruptionTests.assets().scripts) }

    private static func assets() throws -> AssetSet { try FrameSamples.assets(scripts: FrameSamples.telling(padding: 3000)) }

    /// 25 runs with four cuts each: a hundred interruptions at packets spread over the whole job, link and power in turn.
    @Test(arguments: TestRange.of(Array(0..<25), quick: [0, 7, 12, 19]))
    func cutsAtAnyPacketAreRecovered(seed: Int) async throws {
        let total = try await Self.packetsOfAWholeRun.value()
        var generator = SeededGenerator(seed: UInt64(seed))
        var bench = Bench(.frame)
        defer { bench.remove() }
        for quarter in 0..<4 {
            let width = Double(total) / 100
            let packet = Int((Double(quarter * 25 + seed) + Double.random(in: 0..<1, using: &generator)) * width) + 1
            bench.faults.cuts[packet] = (quarter + seed).isMultiple(of: 2) ? .power : .link
        }
        try await bench.expectRecovery(try Self.assets(), runs: 3)
    }

    /// Scripts alone: a cut at every few packets, from the first command to the program's start.
    @Test(arguments: TestRange.of(Array(0..<40), quick: [1, 6, 15, 22, 28, 33, 36, 38]), [FaultPlan.Cut.power, .link])
    func cutsInAnUploadAreRecovered(step: Int, cut: FaultPlan.Cut) async throws {
        let total = try await Self.packetsOfAnUpload.value()
        var bench = Bench(.frame)
        defer { bench.remove() }
        let old = AssetSet(try FrameSamples.telling())
        #expect(try await bench.flash(old).passed)
        bench.faults.cuts[max(1, total * (step + 1) / 40)] = cut
        try await bench.expectRecovery(AssetSet(try FrameSamples.telling(padding: 3000)), runs: 2)
    }

    @Test(arguments: [0.01, 0.05]) func lossyAirIsSurvived(loss: Double) async throws {
        var bench = Bench(.frame)
        defer { bench.remove() }
        bench.faults.loss = loss
        bench.faults.seed = 11
        try await bench.expectRecovery(AssetSet(try FrameSamples.telling(padding: 3000)), runs: 4)
    }

    @Test(arguments: [2, 4, 6, 8]) func cancelledRunsAreContinued(event: Int) async throws {
        let bench = Bench(.frame)
        defer { bench.remove() }
        let assets = try Self.assets()
        #expect(try await bench.flashCancelled(assets, atEvent: event) { $0.words != nil })
        try await bench.expectRecovery(assets, runs: 1)
    }
}
