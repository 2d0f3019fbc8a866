import Bluetooth
import FleetRig
import Foundation
import Provisioning
import Support
import TestSupport
import Testing
import VirtualDevices

/// The virtual adapters refuse what real ones do.
@Suite struct VirtualAdapterTests {
    private func play(
        _ count: Int, limit: Int, _ body: @escaping @Sendable (PagerRig, any Central) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        let rig = try PagerRig(count: count, limits: [limit], faults: 0, seed: 1, folder: folder.url)
        try await rig.play { try await body(rig, rig.fleetAdapters()[0].central) }
    }

    @Test func itIsFullAtItsLimitUntilALinkEnds() async throws {
        try await play(3, limit: 2) { rig, central in
            func soon() -> SessionClock.Instant { central.clock.deadline(in: .seconds(10)) }
            let first = try await central.connect(to: rig.units[0].address, deadline: soon())
            let second = try await central.connect(to: rig.units[1].address, deadline: soon())
            let full = LinkError.adapterFull("le-connection-concurrent-connection-limit")
            await #expect(throws: full) { _ = try await central.connect(to: rig.units[2].address, deadline: soon()) }
            await first.disconnect()
            let third = try await central.connect(to: rig.units[2].address, deadline: soon())
            await second.disconnect()
            await third.disconnect()
            let figures = rig.adapters[0].figures
            #expect(figures.mostLinks == 2 && figures.connects == 3 && figures.refusals == 1 && rig.adapters[0].links == 0)
        }
    }

    @Test func aSecondConnectBesideOneIsRefused() async throws {
        try await play(2, limit: 5) { rig, central in
            let deadline = central.clock.deadline(in: .seconds(10))
            let first = central.clock.task { try await central.connect(to: rig.units[0].address, deadline: deadline) }
            try await central.clock.sleep(until: central.clock.deadline(in: .milliseconds(100)))
            await #expect(throws: LinkError.adapterFull("le-connection-busy")) {
                _ = try await central.connect(to: rig.units[1].address, deadline: deadline)
            }
            await (try await first.value).disconnect()
            #expect(rig.adapters[0].figures.collisions == 1)
        }
    }

    /// A unit whose link nobody waited for advertises again.
    @Test func aConnectThatWasGivenUpLeavesNoLink() async throws {
        try await play(1, limit: 5) { rig, central in
            let clock = central.clock
            let address = rig.units[0].address
            for wait in [100, 399, 400, 401] {
                let dial = clock.task { try await central.connect(to: address, deadline: clock.deadline(in: .seconds(10))) }
                try await clock.sleep(until: clock.deadline(in: .milliseconds(wait)))
                dial.cancel()
                if let link = try? await dial.value { await link.disconnect() }
                let link = try await central.connect(to: address, deadline: clock.deadline(in: .seconds(10)))
                await link.disconnect()
            }
            #expect(rig.adapters[0].links == 0)
        }
    }
}
