import Cryptography
import Support
import TestSupport
import Testing
@testable import VirtualDevices

@Suite struct BootloaderInitPacketTests {
    let key: TestSigningKey
    let image = SeededNumbers.bytes(9000, seed: 2)
    static let success: [UInt8] = [0x60, 0x04, 0x01]

    init() throws { key = try TestSigningKey() }

    private func answer(
        storage: BootloaderStorage = BootloaderStorage(applicationVersion: 7), capacity: Int = 65_536,
        _ change: (inout InitPacketDraft) -> Void
    ) throws -> [UInt8] {
        var draft = InitPacketDraft(image: image)
        change(&draft)
        var unit = BootloaderUnit(key: key, storage: storage, capacity: capacity)
        let answer = unit.sendInit(try draft.signed(by: key))
        if answer != Self.success, answer != [0x60, 0x04, 0x05] {
            let state = unit.ask([0x06, 1]).suffix(8)
            #expect(state == BootloaderUnit.state([UInt8]())[...], "a refusal resets the progress")
        }
        return answer
    }

    @Test func goodPacketIsAcceptedAndKept() throws {
        let packet = try InitPacketDraft(image: image).signed(by: key)
        var unit = BootloaderUnit(key: key)
        #expect(unit.sendInit(packet) == Self.success)
        #expect(unit.bootloader.storage.initPacket.isEmpty, "kept once the settings page is written")
        unit.wait(.milliseconds(200))
        #expect(unit.bootloader.storage.initPacket == packet)
        #expect(unit.events.map(\.event) == [.storageChanged, .storageChanged], "the page and its backup")
        #expect(unit.ask([0x04]) == Self.success, "executing it again changes nothing")

        var after = BootloaderUnit(key: key, storage: unit.bootloader.storage)
        #expect(after.ask([0x06, 1]).suffix(8) == BootloaderUnit.state(packet)[...])
        #expect(after.create(2, 4096) == [0x60, 0x01, 0x01])
    }

    @Test func versionRules() throws {
        #expect(try answer { $0.firmwareVersion = 7 } == Self.success)
        #expect(try answer { $0.firmwareVersion = 8 } == Self.success)
        #expect(try answer { $0.firmwareVersion = 6 } == [0x60, 0x04, 0x0B, 0x05])
        #expect(try answer { $0.firmwareVersion = nil } == [0x60, 0x04, 0x0B, 0x04])
    }

    @Test func refusalsByField() throws {
        #expect(try answer { $0.type = nil } == [0x60, 0x04, 0x0B, 0x04])
        #expect(try answer { $0.type = 9 } == [0x60, 0x04, 0x0B, 0x04])
        #expect(try answer { $0.hashType = 1 } == [0x60, 0x04, 0x0B, 0x09])
        #expect(try answer { $0.hardwareVersion = nil } == [0x60, 0x04, 0x0B, 0x04])
        #expect(try answer { $0.hardwareVersion = 51 } == [0x60, 0x04, 0x0B, 0x06])
        #expect(try answer { $0.softDevices = [] } == [0x60, 0x04, 0x0B, 0x07])
        #expect(try answer { $0.softDevices = [0x0123] } == [0x60, 0x04, 0x0B, 0x07])
        #expect(try answer { $0.softDevices = [0, 0x0124] } == [0x60, 0x04, 0x0B, 0x07])
        #expect(try answer { $0.softDevices = [0x0123, 0x0124] } == Self.success)
        #expect(try answer { $0.applicationSize = nil } == [0x60, 0x04, 0x0B, 0x04])
        #expect(try answer { $0.applicationSize = 0 } == [0x60, 0x04, 0x0B, 0x04])
        #expect(try answer { $0.applicationSize = 65_537 } == [0x60, 0x04, 0x04])
        #expect(try answer { $0.signatureType = 1 } == [0x60, 0x04, 0x0B, 0x0B])
        #expect(try answer { $0.signatureLength = 63 } == [0x60, 0x04, 0x0A])
    }

    @Test func checksFollowTheSDKsOrder() throws {
        typealias Change = (inout InitPacketDraft) -> Void
        // Everything is wrong; the faults are mended in the order in which they are reported.
        let faults: [(reported: [UInt8], break: Change)] = [
            ([0x0B, 0x0B], { $0.signatureType = 1 }),
            ([0x0B, 0x04], { $0.type = 9 }),
            ([0x0B, 0x09], { $0.hashType = 2 }),
            ([0x0B, 0x06], { $0.hardwareVersion = 1 }),
            ([0x0B, 0x07], { $0.softDevices = [1] }),
            ([0x0B, 0x05], { $0.firmwareVersion = 1 }),
            ([0x04], { $0.applicationSize = 1_000_000 }),
        ]
        for first in faults.indices {
            let reported = try answer { draft in faults[first...].forEach { $0.break(&draft) } }
            #expect(reported == [0x60, 0x04] + faults[first].reported)
        }
    }

    @Test func signatures() throws {
        let draft = InitPacketDraft(image: image)
        var unit = BootloaderUnit(key: key)
        #expect(unit.sendInit(draft.unsigned) == [0x60, 0x04, 0x0B, 0x08])
        let stranger = try TestSigningKey()
        #expect(unit.sendInit(try draft.signed(by: stranger)) == [0x60, 0x04, 0x05])
        #expect(unit.ask([0x06, 1]).suffix(8) == BootloaderUnit.state([UInt8]())[...])
        var flipped = try draft.signed(by: key)
        flipped[8] ^= 1
        #expect(unit.sendInit(flipped) == [0x60, 0x04, 0x05])

        var both = BootloaderUnit(key: key) { $0.trustedKeys = [VendorKeys.monocle, key.publicKey, stranger.publicKey] }
        #expect(both.sendInit(try draft.signed(by: stranger)) == Self.success)
    }

    @Test func signatureCoversTheReceivedBytes() throws {
        let unknown = WireBytes.number(99, 5) + WireBytes.bytes(100, [1, 2, 3])
        #expect(try answer { $0.extraFields = unknown } == Self.success)
    }

    @Test func undecodablePacketsKeepTheirOffset() throws {
        let good = try InitPacketDraft(image: image).signed(by: key)
        let cases: [[UInt8]] = [
            [0xFF], [0x0A], [0x0B, 0x00], Array(good.dropLast()), good + good,
            WireBytes.bytes(2, WireBytes.bytes(1, [])), InitPacketDraft(image: image).unsigned + good,
            [UInt8](repeating: 0x80, count: 40),
        ]
        for bytes in cases {
            var unit = BootloaderUnit(key: key)
            #expect(unit.sendInit(bytes) == [0x60, 0x04, 0x05])
            #expect(unit.ask([0x06, 1]).suffix(8) == BootloaderUnit.state(bytes)[...])
        }
        #expect(throws: (any Error).self) { try BootloaderInitPacket([]) }
    }

    @Test func oldApplicationStaysWhereBothFit() throws {
        let old = BootloaderStorage(application: [UInt8](repeating: 5, count: 9000))
        var unit = BootloaderUnit(key: key, storage: old, capacity: 5 * 4096 + 4096)
        let packet = try InitPacketDraft(image: image).signed(by: key)
        #expect(unit.sendInit(packet) == Self.success)
        unit.wait(.milliseconds(200))
        #expect(unit.bootloader.storage.applicationIsValid)
        #expect(unit.sendImage(image, to: 4096) == Self.success)
        #expect(isSame(unit.bootloader.storage.application, old.application))
        #expect(unit.sendImage(image, from: 4096) == Self.success)
        unit.wait(.seconds(1))
        #expect(isSame(unit.bootloader.storage.application, image))
    }

    @Test func oldApplicationGoesWhereBothDoNotFit() throws {
        let old = BootloaderStorage(application: [UInt8](repeating: 5, count: 9000))
        var unit = BootloaderUnit(key: key, storage: old, capacity: 4 * 4096)
        let packet = try InitPacketDraft(image: image).signed(by: key)
        #expect(unit.sendInit(packet) == Self.success)
        unit.wait(.milliseconds(200))
        #expect(unit.bootloader.storage.applicationIsValid == false)
        #expect(unit.bootloader.storage.application.isEmpty)
        #expect(isSame(unit.bootloader.storage.flash, old.application), "its bytes stay until they are erased")
        #expect(unit.ask([0x0C]).isEmpty)
        #expect(unit.events.last?.event == .restarted)
    }

    @Test func vendorKeyIsAPointOfTheCurve() throws {
        let signature = [UInt8](repeating: 1, count: 64)
        #expect(VendorKeys.monocle.count == 64)
        #expect(P256.PublicKey(point: VendorKeys.monocle) != nil)
        #expect(P256.PublicKey(point: VendorKeys.monocle.reversed()) == nil)
        #expect(!BootloaderConfiguration(trustedKeys: [VendorKeys.monocle]).trusts(signature, of: [1]))
        #expect(BootloaderConfiguration(trustedKeys: [key.publicKey]).trusts(try key.sign([1]), of: [1]))
    }

    @Test func checksumAndDigestKnownValues() {
        #expect(CRC32.of(Array("123456789".utf8)) == 0xCBF4_3926)
        #expect(SHA256.of([]).prefix(4) == [0xE3, 0xB0, 0xC4, 0x42])
    }
}
