import Bluetooth
import Foundation
import MonocleFamily
import Provisioning
import Support
import TestSupport
import Testing
import VirtualDevices
import VirtualFaults

/// Whatever happens in between, running it again ends in a proved unit.
@Suite(.enabled(if: TestTools.mayRunMicroPython, "MicroPython is missing: run Tools/setup tests"), .serialized)
struct InterruptionTests {
    private static let packetsOfAWholeRun = PacketCount(.monocle) { try Bench.assets() }

    /// Runs with four cuts each: 64 interruptions at packets spread over the whole job, link and power in turn.
    /// The selection has both cuts in each quarter, and both sizes of firmware.
    @Test(arguments: TestRange.of(Array(0..<16), quick: [1, 6, 8, 14]))
    func cutsAtAnyPacketAreRecovered(seed: Int) async throws {
        let total = try await Self.packetsOfAWholeRun.value()
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
        let wasCut = try await bench.expectRecovery(Bench.assets(firmwareSize: seed % 4 == 3 ? 180_000 : 20_000), runs: 2)
        #expect(wasCut, "no cut was reached")
    }

    /// Power fails at any word that the bootloader writes: of the image, or of the settings that put it in place.
    @Test(arguments: TestRange.of(Array(stride(from: 100, to: 6000, by: 50)), quick: [2000, 4900, 5250, 5650]))
    func aPowerCutWithinFirmwareIsRecovered(word: Int) async throws {
        var bench = Bench()
        defer { bench.remove() }
        bench.faults.firmwareCuts = [word]
        var options = JobOptions()
        options.components = [.firmware]
        let report = try await bench.flash(Bench.assets(), options: options)
        #expect(report.passed, "\(String(describing: report.error))")
    }

    @Test(arguments: [(0.01, 0.0, 0.0), (0.0, 0.004, 0.0), (0.0, 0.0, 0.02), (0.005, 0.002, 0.005)])
    func lossyAirIsSurvived(loss: Double, corruption: Double, delay: Double) async throws {
        var bench = Bench()
        defer { bench.remove() }
        bench.faults.loss = loss
        bench.faults.corruption = corruption
        bench.faults.delay = delay
        bench.faults.seed = 11
        try await bench.expectRecovery(Bench.assets(), runs: 6)
    }

    /// Cancelling at any event is what Ctrl-C does; the unit dies with the process that plays it, as by SIGKILL.
    @Test(arguments: [3, 6, 8, 10, 12, 14])
    func cancelledRunsAreContinued(event: Int) async throws {
        let bench = Bench()
        defer { bench.remove() }
        let assets = try Bench.assets()
        #expect(try await bench.flashCancelled(assets, atEvent: event) { $0.words != nil })
        try await bench.expectRecovery(assets, runs: 1)
    }
}
