import Bluetooth
import Foundation
import Support
import Synchronization
import TestSupport
import Testing
import VirtualFaults

@testable import VirtualDevices

/// The core carries a family of which it knows nothing.
@Suite struct MadeUpUnitTests {
    @Test func aCentralThatPairsIsServedAndComesBackWithItsKey() async throws {
        try await withMadeUpUnit { host in
            let first = try await host.connect()
            #expect(first.payloadSize == 97)
            let refusal = LinkError.refused(MadeUpModel.input, attributeError: 0x05, of: .write)
            await #expect(throws: refusal) { try await first.write([7], to: MadeUpModel.input, deadline: host.soon()) }
            await first.disconnect()
            for _ in 0..<2 {
                let link = try await host.encrypted()
                let output = try await link.subscribe(to: MadeUpModel.output, deadline: host.soon())
                try await link.write([7], to: MadeUpModel.input, deadline: host.soon())
                #expect(try await output.next(before: host.soon(), on: host.clock) == [7])
                // The queue takes one.
                #expect(try await output.next(before: host.soon(1), on: host.clock) == nil)
                await link.disconnect()
            }
        }
    }

    @Test func aStrangerIsRefusedAndSentAway() async throws {
        try await withMadeUpUnit { host in
            await (try host.encrypted()).disconnect()
            let stranger = try await host.connect()
            #expect(try await host.secure(stranger, .pair) == .refused(reason: 0x03, endsLink: true))
            try await stranger.waitUntilGone(deadline: host.soon(1))
            #expect(stranger.link.end == .disconnected("the device refused the pairing"))
        }
    }

    /// With the packet that asked: whoever waits for its answer hears of the link's end, and of nothing before.
    @Test(arguments: [1, 2, 3]) func aLostLinkEndsTheWaitForAnAnswer(packet: Int) async throws {
        var faults = FaultPlan()
        faults.cuts = [packet: .link]
        try await withMadeUpUnit(faults: faults) { host in
            let link = try await host.connect()
            if packet > 1 { _ = try await host.secure(link, .pair) }
            if packet > 2 { _ = try await link.subscribe(to: MadeUpModel.output, deadline: host.soon()) }
            let start = host.clock.now
            await #expect(throws: VirtualLink.supervisionTimeout) {
                switch packet {
                case 1: _ = try await host.secure(link, .pair)
                case 2: _ = try await link.subscribe(to: MadeUpModel.output, deadline: host.soon())
                default: try await link.write([0], to: MadeUpModel.input, deadline: host.soon())
                }
            }
            #expect((Duration.seconds(4)...Duration.seconds(4.1)).contains(start.duration(to: host.clock.now)))
        }
    }

    /// A reset, sleep and a cut leave the central with a dead link for its supervision timeout; the model hears of each.
    @Test(arguments: [("r", UnitPlatform.StopCause.reset), ("s", .sleep), ("", .powerLoss)])
    func whateverStopsTheChipStopsTheModel(command: String, cause: UnitPlatform.StopCause) async throws {
        try await withMadeUpUnit { host in
            let link = try await host.encrypted()
            let start = host.clock.now
            if command.isEmpty {
                host.unit.stimulate(.cut(.power))
            } else {
                let channel = try await link.openChannel(to: MadeUpModel.input, deadline: host.soon())
                try await channel.send(Array(command.utf8), deadline: host.soon())
            }
            try await link.waitUntilGone(deadline: host.soon())
            #expect(link.link.end == VirtualLink.supervisionTimeout)
            #expect((Duration.seconds(4)...Duration.seconds(4.1)).contains(start.duration(to: host.clock.now)))
            #expect(host.memory.stops.withLock { $0 } == [cause])
            if cause == .sleep {
                await #expect(throws: LinkError.self) { try await host.central.connect(to: host.unit.address, deadline: host.soon(5)) }
                host.unit.stimulate(.tap(.A))
            }
            _ = try await host.connect()
        }
    }

    @Test func aFolderOfAnotherFamilyIsRefused() throws {
        let place = try TemporaryFolder()
        let folder = try UnitFolder.frame(root: place.url.appendingPathComponent("unit"), name: "x")
        let error = #expect(throws: UnitFolderError.self) {
            try VirtualUnit.monocle(
                folder: folder, configuration: UnitConfiguration(python: "/nowhere"), air: VirtualAir(time: .simulated()))
        }
        #expect(error?.diagnosis.message.hasSuffix("unit.json: it is not a unit of the family monocle") == true)
    }
}
