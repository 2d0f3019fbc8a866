import Foundation
import TestSupport
import Testing

@testable import BootloaderTraces
@testable import DFU

/// The client under the conditions of the recorded traces of topic `client`: their images, MTU and pace, the packets that were lost or
/// came twice, the notifications that the radio held back, the link that was lost.
///
/// The recorded notifications themselves answer other requests than this client's: that one asked GET CRC, and for a receipt after
/// 1, 4 or 12 packets. So the virtual bootloader answers, which gives the recorded answers to the recorded requests.
@Suite struct RecordedClientTests {
    private static let file = Result {
        try TraceFile(contentsOf: TestTools.root.appendingPathComponent("Tests/Traces/nordic-bootloader.jsonl").path)
    }
    private static let ids = (try? file.get().traces.filter { $0.client != nil }.map(\.id)) ?? []

    @Test func allAreThere() { #expect(Self.ids.count == 22) }

    @Test(arguments: ids) func theImageArrives(id: String) throws {
        let file = try Self.file.get()
        let trace = try #require(file.traces.first { $0.id == id })
        let packets = trace.steps.filter { $0.write == .pkt && $0.blob != nil }
        let data = packets.filter { $0.blob?.hasPrefix("r") == true }
        let size = try #require(data.first?.blob.flatMap { Int($0.dropFirst()) })
        let image = try #require(try file.image(of: size))
        let initPacket = try file.bytes(of: #require(packets.first))
        let coordinates = try Hex.decode(file.header.testKey.publicXHex).reversed() + Hex.decode(file.header.testKey.publicYHex).reversed()
        let delays = trace.client?.heldBack?.flatMap(\.ms) ?? [0]
        for delay in delays {
            var rig = TransferRig(initPacket: initPacket, image: image, trusting: coordinates, air: try Self.air(of: trace, data, delay))
            let outcome = rig.run()
            let lostLinks = trace.steps.contains { $0.write == .disconnect } ? 1 : 0
            #expect(outcome.isUpdated && outcome.links <= 1 + lostLinks, "held back \(delay) ms: \(outcome)")
            // A hole costs its object, a lost link everything, a late answer nothing.
            let damage = !rig.air.lostPackets.isEmpty || !rig.air.doubledPackets.isEmpty ? 4096 : 0
            #expect(outcome.byteCount <= (image.count + initPacket.count) * (1 + lostLinks) + damage, "held back \(delay) ms: \(outcome)")
        }
    }

    private static func air(of trace: Trace, _ data: [Trace.Step], _ delay: Double) throws -> TransferRig.Air {
        var air = TransferRig.Air()
        air.mtu = try #require(trace.steps.first { $0.write == .connect }?.mtu)
        air.packetTime = .milliseconds(data.first?.gap ?? 0)
        for held in trace.client?.heldBack ?? [] {
            // SELECT is what this client asks instead of GET CRC; the first three are about the init packet and the beginning.
            let isReceipt = held.of == "pkt"
            air.heldBack.append(
                .init(operation: isReceipt ? 3 : 6, number: held.notify + (isReceipt ? 0 : 3), delay: .milliseconds(delay)))
        }
        for (step, next) in zip(trace.steps, trace.steps.dropFirst()) where step.write == .pkt && next.write == .pkt {
            guard let end = step.to, let start = next.from, let size = step.size, step.blob == next.blob else { continue }
            if start > end { air.lostPackets.formUnion(end / size..<(start + size - 1) / size) }
            if start < end { air.doubledPackets.formUnion(start / size..<end / size) }
        }
        if let end = trace.steps.firstIndex(where: { $0.write == .disconnect }) {
            air.cutAt = trace.steps[..<end].reduce(0) { count, step in
                let packets = step.write == .pkt ? ((step.to ?? 1) - (step.from ?? 0) + (step.size ?? 1) - 1) / (step.size ?? 1) : 0
                return count + packets + (step.expect ?? []).count { $0.notify != nil }
            }
        }
        return air
    }
}
