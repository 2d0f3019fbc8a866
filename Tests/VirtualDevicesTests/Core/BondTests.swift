import Bluetooth
import Foundation
import Support
import Synchronization
import TestSupport
import Testing
@testable import VirtualDevices

/// A host's bond with a virtual unit, from both sides.
@Suite struct BondTests {
    private static let input = MadeUpModel.input

    @Test func aFirstLinkMakesTheBondAndTheNextOnesUseIt() async throws {
        try await withMadeUpUnit { host in
            for isFirst in [true, false] {
                let link = try await host.bond()
                #expect(link.isNewlyBonded == isFirst)
                try await link.write([7], to: Self.input, deadline: host.soon())
                await link.disconnect()
            }
        }
    }

    @Test func aStrangerIsRefusedAfterTwoAttempts() async throws {
        try await withMadeUpUnit { host in
            await (try host.bond()).disconnect()
            let stranger = VirtualCentral(air: host.air)
            let error = await #expect(throws: LinkError.self) {
                _ = try await stranger.connect(to: host.unit.address, security: .bonded, deadline: host.soon())
            }
            #expect(error == .pairingRefused(host.unit.address, reason: "reason 0x3"))
            #expect(host.memory.requests.withLock { $0 }.suffix(2) == [.pair, .pair])
        }
    }

    @Test func aHostThatLostItsKeyIsAStranger() async throws {
        try await withMadeUpUnit { host in
            await (try host.bond()).disconnect()
            #expect(try await host.central.forgetBond(with: host.unit.address, deadline: host.soon()))
            await #expect(throws: LinkError.pairingRefused(host.unit.address, reason: "reason 0x3")) { _ = try await host.bond() }
            #expect(try await !host.central.forgetBond(with: host.unit.address, deadline: host.soon()))
        }
    }

    @Test func aUnitThatLostItsBondIsPairedAnew() async throws {
        try await withMadeUpUnit { host in
            await (try host.bond()).disconnect()
            host.memory.bond.withLock { $0 = nil }
            let link = try await host.bond()
            #expect(link.isNewlyBonded)
            #expect(host.memory.requests.withLock { $0 } == [.pair, .encrypt(key: [1, 2, 3]), .encrypt(key: [1, 2, 3]), .pair])
            #expect(host.notices.all == [BondRecovery.notice(of: host.unit.address)])
            try await link.write([7], to: Self.input, deadline: host.soon())
        }
    }

    @Test func aKeyThatNeverFitsIsToldWithUnpair() async throws {
        try await withMadeUpUnit { host in
            host.memory.breaksKeys.withLock { $0 = true }
            await (try host.bond()).disconnect()
            let error = await #expect(throws: LinkError.self) { _ = try await host.bond() }
            #expect(error == .pairingRefused(host.unit.address, reason: "reason 0x3"))
        }
    }

    @Test func aLinkLostInTheMiddleCostsNothing() async throws {
        try await withMadeUpUnit { host in
            await (try host.bond()).disconnect()
            for _ in 0..<4 {
                host.memory.answersLate.withLock { $0 = { host.unit.stimulate(.cut(.link)) } }
                let link = try await host.bond(within: 30)
                #expect(!link.isNewlyBonded)
                await link.disconnect()
            }
            #expect(host.notices.all.isEmpty)
        }
    }

    /// The unit has the bond by then, and would refuse this host ever after.
    @Test func aPairingGivenUpOnTheWayKeepsItsBond() async throws {
        try await withMadeUpUnit { host in
            let pairing = host.clock.task { _ = try await host.bond() }
            host.memory.answersLate.withLock { $0 = { pairing.cancel() } }
            await #expect(throws: CancellationError.self) { try await pairing.value }
            let link = try await host.bond()
            #expect(!link.isNewlyBonded)
            #expect(host.memory.requests.withLock { $0 } == [.pair, .encrypt(key: [1, 2, 3])])
        }
    }

    @Test func aUnitWithoutPairingSaysSo() async throws {
        try await withMadeUpUnit { host in
            host.memory.knowsPairing.withLock { $0 = false }
            await #expect(throws: LinkError.pairingRefused(host.unit.address, reason: "reason 0x5")) { _ = try await host.bond() }
        }
    }

    // MARK: The store

    @Test func aFolderKeepsKeysOverProcesses() throws {
        let place = try TemporaryFolder()
        let folder = place.url.appendingPathComponent("bonds")
        let address = try #require(DeviceAddress("C6:05:04:03:02:01"))
        #expect(try BondStore(folder: folder).key(for: address) == nil)
        try BondStore(folder: folder).keep([1, 2, 0xFF], for: address)
        #expect(try BondStore(folder: folder).key(for: address) == [1, 2, 0xFF])
        let file = folder.appendingPathComponent("C6-05-04-03-02-01.key").path
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        try BondStore(folder: folder).forget(address)
        try BondStore(folder: folder).forget(address)
        #expect(try BondStore(folder: folder).key(for: address) == nil)
    }

    @Test(arguments: ["", "0", "zz", String(repeating: "00", count: 200)])
    func aDamagedKeyIsTold(text: String) throws {
        let place = try TemporaryFolder()
        let address = try #require(DeviceAddress("C6:05:04:03:02:01"))
        try text.write(to: place.url.appendingPathComponent("C6-05-04-03-02-01.key"), atomically: true, encoding: .utf8)
        #expect(throws: UnitFolderError.self) { try BondStore(folder: place.url).key(for: address) }
    }
}
