import Foundation
import REPL
import Support
import TestSupport
import Testing
import VirtualDevices
import VirtualFaults

@testable import FPGA

/// Not a test: prints how long the write of an image takes on the virtual unit, for docs/performance.md.
///
///     NOAFW_BENCH=FILE swift test --skip-build --filter TransferBench
///
/// FILE is an FPGA image; `-` takes one of the tests'.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["NOAFW_BENCH"] != nil, "only for measuring"), .serialized)
struct TransferBench {
    private struct Line {
        var interval = 15.0
        var takesOnePacket = false
        var payload = 244
        var loss = 0.0

        /// One full packet and the signs that come back, or the whole interval.
        var pace: LinkPace {
            LinkPace(
                interval: .microseconds(Int64(interval * 1000)),
                eventLength: .microseconds(takesOnePacket ? 3750 : Int64(interval * 1000)), supervisionTimeout: .seconds(4))
        }

        /// Bytes a second that the air carries to the unit at most.
        var airRate: Double {
            let airtime = Double((payload + 17) * 8 + 380) / 1000
            return Double(payload) * (takesOnePacket ? 1 : (interval / airtime).rounded(.down)) * 1000 / interval
        }
    }

    private static let lines = [7.5, 15, 30, 50].flatMap { interval in [true, false].map { Line(interval: interval, takesOnePacket: $0) } }
        + [20, 182, 253].map { Line(payload: $0) } + [true, false].map { Line(takesOnePacket: $0, loss: 0.004) }

    @Test func writePhase() async throws {
        let file = ProcessInfo.processInfo.environment["NOAFW_BENCH"] ?? "-"
        let content = file == "-" ? developmentImage(seed: 21) : [UInt8](try Data(contentsOf: URL(fileURLWithPath: file)))
        let image = try FPGAImage(content, isChecked: false)
        let transport = InputTransport()
        print("| interval | packets an event | payload | loss | air alone | through stdin | packets | as Python text | packets |")
        print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
        for line in Self.lines {
            let ours = try await measure(image, line, transport)
            let text = try await measure(image, line, LiteralTransport())
            let air = Double(ours.bytes) / line.airRate
            let cells = [
                "\(line.interval) ms", line.takesOnePacket ? "1" : "all", "\(line.payload)", "\(line.loss * 100) %", Self.seconds(air),
                Self.seconds(ours.seconds), "\(ours.packets)", Self.seconds(text.seconds), "\(text.packets)",
            ]
            print("| " + cells.joined(separator: " | ") + " |")
        }
    }

    private static func seconds(_ value: Double) -> String { "\((value * 10).rounded() / 10) s" }

    private func measure(
        _ image: FPGAImage, _ line: Line, _ transport: any FPGATransport
    ) async throws -> (seconds: Double, packets: Int, bytes: Int) {
        var bench = FlashBench()
        defer { bench.remove() }
        bench.pace = line.pace
        bench.faults.loss = line.loss
        return try await bench.play { [bench] central, address in
            var central = central
            central.requestedMTU = line.payload + 3
            return try await bench.attached(central, address) { repl in
                let updater = FPGAUpdater(repl: repl, image: image, transport: transport)
                try await updater.stopFPGA { _ in }
                try await updater.erase { _ in }
                let (start, before) = (repl.clock.now, bench.tap.traffic)
                try await updater.write(from: 0) { _ in }
                let (seconds, after) = (start.duration(to: repl.clock.now) / .seconds(1), bench.tap.traffic)
                return (seconds, after.packets - before.packets, after.bytes - before.bytes)
            }
        }
    }
}
